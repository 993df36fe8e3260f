import Ledger
import Testing
import Time

@testable import catraca

@Suite struct UsageReportTests {
  private let bench = TestBench()

  private func record() async throws {
    try await bench.record([
      LedgerFixture.row(1, user: "u1", input: 100, day: "2026-11-20"),
      LedgerFixture.row(2, user: "u2", input: 1_000),
      LedgerFixture.row(3, client: "beta", user: "u2", input: 5),
    ])
  }

  @Test("Days are shown oldest first, those without use too, with a total")
  func showsDays() async throws {
    try await record()
    let printout = await bench.run("usage --days 3")
    #expect(
      printout.output == """
        Day         Requests  Input  Output  Tokens     Cost USD         Cost  Currency  \
        Provider USD   Margin USD
        2026-11-20         1    100      10     110  0.000021000  0.000113400  BRL        \
        0.000021000  0.000000000
        2026-11-21         0      0       0       0  0.000000000  0.000000000  BRL        \
        0.000000000  0.000000000
        2026-11-22         2  1,005      20   1,025  0.000162750  0.000878850  BRL        \
        0.000162750  0.000000000

        Total: 3 requests, 1,135 tokens, 0.000183750 USD = 0.000992250 BRL

        """)
  }

  @Test("Other groups are shown dearest first", arguments: [("client", ["acme", "beta"])])
  func showsDearestFirst(group: String, keys: [Substring]) async throws {
    try await record()
    let printout = await bench.run("usage --by \(group) --format csv")
    let lines = printout.output.split(separator: "\r\n")
    #expect(lines.dropFirst().map { $0.prefix { $0 != "," } } == keys)
  }

  @Test("Every grouping is answered", arguments: UsageGrouping.allCases)
  func answersEveryGrouping(grouping: UsageGrouping) async throws {
    try await record()
    let printout = await bench.run("usage --by \(grouping.rawValue) --format json")
    #expect(printout.exitCode == .well)
    #expect(printout.output.hasPrefix(#"{"client_id":null,"by":"\#(grouping.rawValue)","#))
  }

  @Test("One client's usage counts by the days of its time zone")
  func countsOneClient() async throws {
    try await record()
    let printout = await bench.run("usage --client acme --days 1 --format json")
    #expect(
      printout.output.contains(
        #""from":"2026-11-22T00:00:00-03:00","to":"2026-11-23T00:00:00-03:00""#))
    #expect(printout.output.contains(#""series":[{"key":"2026-11-22","requests":1,"#))
  }

  @Test("Nothing used is said, and no error")
  func saysNothing() async throws {
    try await bench.record([])
    #expect(await bench.run("usage").output == "Nothing was used since 2026-10-24.\n")
  }

  @Test("Weeks without use are shown too")
  func fillsWeeks() async throws {
    try await record()
    let printout = await bench.run("usage --days 15 --by week --format csv")
    let lines = printout.output.split(separator: "\r\n").dropFirst()
    #expect(lines.map { $0.prefix(10) } == ["2026-11-02", "2026-11-09", "2026-11-16"])
  }
}
