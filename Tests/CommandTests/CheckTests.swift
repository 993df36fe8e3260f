import Configuration
import Ledger
import Testing
import Time

@testable import catraca

@Suite struct CheckTests {
  @Test("A right configuration is counted on one line")
  func countsWhatIsRight() async {
    let bench = TestBench()
    // All that the provider's answers can report has a price.
    bench.edit(
      "config/prices.yaml",
      """
      provider: openai
      currency: USD
      source: https://example.com/prices
      as_of: 2026-11-01
      surcharges: { web_search: { per_call: "0.01" }, file_search: { per_call: "0.0025" } }
      containers: { 1g: "0.03" }
      models:
        gpt-4o-mini:
          operation: chat
          per_million_tokens:
            { input: "0.15", cached_input: "0.075", image_input: "0.15", output: "0.60" }
      """)
    let printout = await bench.run("check")
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

  @Test("What is accepted is told to servers through the ledger, with who did it")
  func accepts() async throws {
    let bench = TestBench()
    let printout = await bench.run("check --accept")
    #expect(printout.output.hasPrefix("ok: 1 provider, 1 model, 1 client, 1 key, 0 budgets\n"))
    #expect(printout.output.contains("accepted for 24 hours"))
    #expect(printout.exitCode == .well)
    let loaded = try ConfigurationLoader(
      folder: "config", files: bench.surroundings.files, environment: [:],
      missingSecrets: .tolerated
    ).load()
    let reader = try LedgerReader(at: .sqlite(path: bench.ledgerPath))
    let now = TestBench.now
    #expect(try reader.isConfigurationAccepted(loaded.digest, since: now))
    #expect(
      try !reader.isConfigurationAccepted(loaded.digest, since: now.advanced(by: .seconds(1))))
    bench.edit("config/clients.yaml", "")
    let others = await bench.run("check")
    #expect(others.output.hasPrefix("ok: 1 provider, 1 model, 0 clients, 0 keys, 0 budgets\n"))
    #expect(!others.output.contains("accepted"))
  }

  @Test("A folder without configuration is named")
  func namesMissingFolder() async {
    let printout = await TestBench().run("check --config elsewhere")
    #expect(printout.error == "elsewhere/catraca.yaml:1:1: no such file\n")
    #expect(printout.exitCode == .failed)
  }
}
