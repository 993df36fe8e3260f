import Ledger
import Testing

@testable import catraca

@Suite struct ExplainTests {
  private let bench = TestBench()

  @Test("A cost is explained by quantities, prices, rate, hold and budgets")
  func explainsCost() async throws {
    try await bench.record([LedgerFixture.row(1)])
    let output = await bench.run("explain \(LedgerFixture.id(1))").output
    for part in [
      "Answered by    gpt-4o-mini-2024-07-18\n", "Usage          reported\n",
      "input_tokens      100       0.15  a million  0.000015000\n",
      "output_tokens      10        0.6  a million  0.000006000\n",
      "Cost USD       0.000021000\n", "Held USD       0.000300000\n",
      "Prices of openai/gpt-4o-mini in prices.yaml, read 2026-11-01.\n", "1 USD = 5.4 BRL",
      "acme/month      client:acme  2026-11-01T03:00:00.000Z     110  0.000113400  BRL\n",
    ] {
      #expect(output.contains(part), "\(part)")
    }
    #expect(!output.contains("run catraca audit"))
  }

  @Test("In JSON it is the row, with the quantities under explain")
  func explainsInJSON() async throws {
    try await bench.record([LedgerFixture.row(1)])
    let output = await bench.run("explain \(LedgerFixture.id(1)) --format json").output
    #expect(output.hasPrefix(#"{"id":1,"request_id":"\#(LedgerFixture.id(1))","#))
    #expect(
      output.contains(
        #""explain":[{"quantity":"input_tokens","amount":100,"unit_price_usd":"0.000000150","#
          + #""cost_usd":"0.000015000"}"#))
    #expect(output.contains(#""price_file":"prices.yaml""#))
  }

  @Test("A cost that the prices don't make is said to be wrong")
  func tellsWrongCost() async throws {
    var row = LedgerFixture.row(1)
    row.costNanoUSD += 1
    try await bench.record([row])
    let output = await bench.run("explain \(row.requestID)").output
    #expect(output.contains("make 0.000021000 USD, which is not what is recorded"))
  }

  @Test("A whole hold that was charged is said to be one")
  func tellsWholeHold() async throws {
    var row = LedgerFixture.row(1)
    row.costNanoUSD = row.heldNanoUSD
    try await bench.record([row])
    #expect(
      await bench.run("explain \(row.requestID)").output.contains("Its whole hold was charged"))
  }

  @Test("A refusal is explained by its sum, in tokens or in the budget's currency")
  func explainsDenial() async throws {
    try await bench.record(
      [], denials: [LedgerFixture.denial(1), LedgerFixture.denial(2, reason: .costLimit)],
      budgets: [LedgerFixture.budget()])
    let tokens = await bench.run("explain \(LedgerFixture.id(1))").output
    #expect(
      tokens.hasPrefix(
        "Refused by budget acme/month: 998,120 used + 0 held by others + 4,210 that the request "
          + "may need, of 1,000,000 tokens.\nIt starts again at 2026-12-01T03:00:00.000Z.\n"))
    let cost = await bench.run("explain \(LedgerFixture.id(2))").output
    #expect(cost.contains("0.000998120 used") && cost.contains("of 0.001000000 BRL."))
  }

  @Test("There is no request of an id that is nowhere, or that is none")
  func refusesOthers() async throws {
    try await bench.record([])
    let unknown = await bench.run("explain \(LedgerFixture.id(9))")
    #expect(unknown.error.hasPrefix("catraca: there is no request \(LedgerFixture.id(9))"))
    #expect(unknown.exitCode == .failed)
    #expect(await bench.run("explain 42").exitCode == .failed)
  }
}
