import Ledger
import Testing

@testable import catraca

@Suite struct LedgerCommandTests {
  private let bench = TestBench()

  @Test("A whole ledger passes the audit")
  func auditPasses() async throws {
    try await bench.record((1...3).map { LedgerFixture.row($0) })
    let printout = await bench.run("audit")
    #expect(printout.output == "ok: 3 requests, no difference\n")
    #expect(printout.exitCode == .well)
  }

  @Test("A cost that the stored prices don't make is one line, and status 1")
  func auditFindsDifference() async throws {
    var wrong = LedgerFixture.row(2)
    wrong.costNanoUSD += 1
    try await bench.record([LedgerFixture.row(1), wrong])
    let printout = await bench.run("audit")
    #expect(
      printout.output
        == "cost \(wrong.requestID): recorded 21001 nano USD, 113400 nano BRL, "
        + "recomputed 21000 nano USD, 113400 nano BRL\n")
    #expect(printout.exitCode == .failed)
  }

  @Test("Refusals are listed newest first, within the time and the limit")
  func listsDenials() async throws {
    try await bench.record(
      [], denials: [LedgerFixture.denial(1), LedgerFixture.denial(2, reason: .costLimit)])
    let csv = await bench.run("denials --format csv").output.split(separator: "\r\n")
    #expect(csv.count == 3)
    #expect(csv[1].contains(",cost_limit,1000000,998120,0,4210,"))
    let table = await bench.run("denials --limit 1")
    #expect(table.output.contains("0.001000000"))
    #expect(table.error == "only the latest 1 are shown; --limit shows more\n")
    #expect(await bench.run("denials --since 29m").output.hasPrefix("Nothing was refused since "))
    #expect(await bench.run("denials --client beta").output.hasPrefix("Nothing was refused since "))
  }

  @Test("Budgets are shown with what is used of them, by the larger percentage")
  func showsBudgets() async throws {
    bench.edit(
      "config/clients.yaml",
      TestBench.clients
        + "\n    budgets: [{ name: month, tokens: 200, cost: '1.00', period: monthly }]\n")
    try await bench.record([LedgerFixture.row(1)], budgets: [LedgerFixture.budget()])
    let printout = await bench.run("budget status --client acme --format csv")
    let line = try #require(
      printout.output.split(separator: "\r\n").last, "\(printout.error)")
    #expect(
      line == "acme/month,acme,client,client:acme,both,monthly,hard,110,200,0,90,0.000113400,"
        + "1.000000000,0.000000000,0.999886600,BRL,55.0,ok,,2026-12-01T03:00:00.000Z")
    #expect(await bench.run("budget status --client beta").output == "There are no budgets.\n")
  }

  @Test("A ledger is brought to this release's schema once")
  func migrates() async {
    let path = bench.ledgerPath
    #expect(await bench.run("migrate").output == "\(path): applied 1\n")
    #expect(await bench.run("migrate").output == "\(path): up to date\n")
  }

  @Test("A ledger in a file has no replicas, and nothing of theirs to forget")
  func hasNoReplicas() async throws {
    try await bench.record([LedgerFixture.row(1)])
    #expect(await bench.run("replica list").output == "No server shares this ledger.\n")
    let printout = await bench.run("replica forget web-3:5f2ac01b77e98d40")
    #expect(printout.error.contains("there is no reserve of web-3:5f2ac01b77e98d40"))
    #expect(printout.exitCode == .failed)
  }

  @Test("A ledger can be named on the command line, without any configuration")
  func namesLedger() async throws {
    try await bench.record([LedgerFixture.row(1)])
    let line = "usage --by client --format csv --ledger sqlite:\(bench.ledgerPath)"
    let machine = TestBench()
    machine.edit("config/catraca.yaml", "nonsense: true\n")
    #expect(await machine.run(line).output.contains("acme,1,"))
    #expect(await machine.run("usage --ledger mysql:x").exitCode == .wrongUsage)
    #expect(await machine.run("usage --ledger postgresql://db/x").exitCode == .failed)
  }
}
