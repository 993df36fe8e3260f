import Testing

@testable import catraca

@Suite struct CheckTests {
  @Test("A right configuration is counted on one line")
  func countsWhatIsRight() async {
    let printout = await TestBench().run("check")
    #expect(printout.output == "ok: 1 provider, 1 model, 1 client, 1 key, 0 budgets\n")
    #expect(printout.error.isEmpty)
    #expect(printout.exitCode == .well)
  }

  @Test(
    "Every mistake of every file is a line that begins with its place; standard output is empty")
  func namesEveryMistake() async {
    let bench = TestBench(clients: "clients: { acme: { plan: gone, nmae: ACME } }\n")
    bench.edit("config/prices.yaml", "provider: other\n")
    let printout = await bench.run("check")
    #expect(printout.output.isEmpty)
    #expect(printout.exitCode == .failed)
    let lines = printout.error.split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("config/clients.yaml:1:26: plan: there is no plan") })
    #expect(lines.contains { $0.hasPrefix("config/clients.yaml:1:32: unknown key \"nmae\"") })
    #expect(lines.contains { $0.hasPrefix("config/prices.yaml:1:") })
  }

  @Test("A folder without configuration is named")
  func namesMissingFolder() async {
    let printout = await TestBench().run("check --config elsewhere")
    #expect(printout.error == "elsewhere/catraca.yaml:1:1: no such file\n")
    #expect(printout.exitCode == .failed)
  }
}
