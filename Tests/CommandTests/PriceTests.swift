import Testing

@testable import catraca

@Suite struct PriceTests {
  private let bench = TestBench()

  @Test("Each quantity is shown with its price, and the sum in dollars and billing currency")
  func showsQuantities() async {
    let printout = await bench.run("price gpt-4o-mini --in 100000 --out 2000 --cached 80000")
    #expect(
      printout.output.hasPrefix(
        """
        Quantity             Amount  Price USD  for           Cost USD
        input_tokens         20,000       0.15  a million  0.003000000
        cached_input_tokens  80,000      0.075  a million  0.006000000
        output_tokens         2,000        0.6  a million  0.001200000

        Cost USD  0.010200000
        Cost BRL  0.055080000

        """))
    #expect(printout.exitCode == .well)
  }

  @Test(
    "Day, tier and alias change the price as the file says",
    arguments: [
      ("gpt-4o-mini --in 1000000 --out 0", "0.150000000"),
      ("gpt-4o-mini-2024-07-18 --in 1000000 --out 0 --provider openai", "0.150000000"),
      ("gpt-4o-mini --in 1000000 --out 0 --at 2026-05-31", "0.300000000"),
      ("gpt-4o-mini --in 1000000 --out 0 --tier batch", "0.075000000"),
      ("gpt-4o-mini --in 1000000 --out 0 --window 2h", "0.105000000"),
      ("gpt-4o-mini --in 1000000 --out 0 --container 16g", "0.630000000"),
      ("gpt-4o-mini --in 1000000 --out 0 --window 2h --tier batch", "0.075000000"),
      ("gpt-4o-mini --in 0 --out 1000000 --reasoning 1000000", "0.600000000"),
    ])
  func priceDepends(line: String, cost: String) async {
    let printout = await bench.run("price \(line) --format json")
    #expect(printout.output.hasPrefix(#"{"cost_usd":"\#(cost)","#))
  }

  @Test("CSV has the quantities")
  func rendersCSV() async {
    let printout = await bench.run("price gpt-4o-mini --in 3 --out 0 --format csv")
    #expect(
      printout.output
        == "quantity,amount,unit_price_usd,cost_usd\r\ninput_tokens,3,0.000000150,0.000000450\r\n")
  }

  @Test(
    "What has no price is told apart from what is written wrong",
    arguments: [
      ("gpt-4o-mni --in 1 --out 1", "did you mean gpt-4o-mini?", ExitCode.failed),
      ("gpt-4o-mini --in 1 --out 1 --provider groq", "allowed: openai", .failed),
      ("gpt-4o-mini --in 1 --out 1 --at 2025-12-31", "no price at that time", .failed),
      ("gpt-4o-mini --in 1 --out 1 --container 3g", "allowed: 16g, 1g", .failed),
      ("gpt-4o-mini --in 1 --out 1 --window 3h", "a window of its completion_windows", .failed),
      ("gpt-4o-mini --in 1 --out 1 --at 2026-05-31 --window 2h", "at that time", .failed),
      ("gpt-4o-mini --in 1 --out 1 --cached 2", "--cached is part of --in", .wrongUsage),
      ("gpt-4o-mini --in -1 --out 1", "allowed: a whole number", .wrongUsage),
      ("gpt-4o-mini --in 1 --out 1 --at soon", "allowed: a date", .wrongUsage),
    ])
  func refuses(line: String, message: String, exitCode: ExitCode) async {
    let printout = await bench.run("price \(line)")
    #expect(printout.error.contains(message))
    #expect(printout.output.isEmpty)
    #expect(printout.exitCode == exitCode)
  }

  @Test("A tier without a price is said to be assumed")
  func saysAssumedTier() async {
    let printout = await bench.run("price gpt-4o-mini --in 1 --out 1 --tier gold")
    #expect(printout.output.contains("The tier has no price for this model"))
  }
}
