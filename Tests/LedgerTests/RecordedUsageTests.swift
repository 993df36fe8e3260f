import EventLoop
import Metrics
import Money
import Pricing
import Testing

@testable import Ledger

@Suite struct RecordedUsageTests {
  /// A server that may die at any time, and what it says that it has recorded.
  private final class Life {
    let recorded = Lock(RecordedUsage())
    let database: LedgerDatabase

    init(_ folder: TemporaryFolder, known: Set<String> = ["m1", "m2", "m3"]) throws {
      database = try LedgerDatabase(folder.options(), recorded: recorded) { model, _ in
        known.contains(model) ? model : "other"
      }
    }

    func settle(_ rows: some Sequence<UsageRow>) throws {
      try database.commit(
        rows.map {
          Entry.settle(SettledRequest(row: $0, charges: [], priceRecord: Sample.prices))
        })
    }

    var usage: RecordedUsage { recorded.withLock { $0 } }
  }

  private static func row(_ number: Int) -> UsageRow {
    var row = Sample.row(number, client: number % 2 == 0 ? "acme" : "globex")
    row.model = "m\(number % 4)"
    row.outcome = number % 5 == 0 ? .providerError : .ok
    row.overrunTokens = number % 7 == 0 ? 1 : 0
    return row
  }

  /// By client, model (`m0` isn't known) and outcome.
  private static func expected(_ rows: [UsageRow]) -> [String: [Int64]] {
    var sums: [String: UsageSums] = [:]
    for row in rows {
      let model = row.model == "m0" ? "other" : row.model
      sums["\(row.clientID) \(model) \(row.outcome)", default: UsageSums()] += UsageSums(of: row)
    }
    return sums.mapValues(\.values)
  }

  private static func found(_ usage: RecordedUsage) -> [String: [Int64]] {
    Dictionary(
      uniqueKeysWithValues: usage.sums.map { key, sums in
        ("\(key.clientID) \(key.model) \(key.outcome)", sums.values)
      })
  }

  @Test(
    "After any end the sums are those of the rows, and models that nobody knows are one", .ofFiles,
    arguments: [[0], [1], [999], [1_000], [1_001], [1_000, 1, 0, 998, 3], [2_500, 700]])
  func survivesRestarts(lives: [Int]) throws {
    let folder = TemporaryFolder()
    var rows: [UsageRow] = []
    for count in lives {
      let life = try Life(folder)
      #expect(RecordedUsageTests.found(life.usage) == RecordedUsageTests.expected(rows))
      let fresh = (0..<count).map { RecordedUsageTests.row(rows.count + $0) }
      for start in stride(from: 0, to: count, by: 100) {
        try life.settle(fresh[start..<min(start + 100, count)])
      }
      rows += fresh
      #expect(RecordedUsageTests.found(life.usage) == RecordedUsageTests.expected(rows))
      if rows.count % 2 == 0 { try life.database.writeTotals() }
    }
    #expect(RecordedUsageTests.found(try Life(folder).usage) == RecordedUsageTests.expected(rows))
  }

  @Test("What a start reads is never more than a thousand rows and a batch", .ofFiles)
  func tailIsShort() throws {
    let folder = TemporaryFolder()
    let life = try Life(folder)
    for start in stride(from: 0, to: 5_000, by: 100) {
      try life.settle((start..<start + 100).map { RecordedUsageTests.row($0) })
    }
    let tail = try folder.connection().prepare(
      "SELECT count(*) FROM usage_logs WHERE id > (SELECT last_id FROM usage_totals_reach)")
    #expect(try #require(try tail.firstInteger()) <= 1_100)
  }

  @Test("A row that is written twice counts once")
  func countsOnce() throws {
    let folder = TemporaryFolder()
    let life = try Life(folder)
    try life.settle([RecordedUsageTests.row(1)])
    try life.settle([RecordedUsageTests.row(1)])
    #expect(life.usage.sums.values.map(\.requests) == [1])
  }

  @Test("What is rolled back isn't counted, and counts once when it is written after all")
  func rollsBack() throws {
    let folder = TemporaryFolder()
    let life = try Life(folder)
    try life.settle([RecordedUsageTests.row(1)])
    let obstacle = try folder.obstacle()
    #expect(throws: LedgerError.self) { try life.settle([RecordedUsageTests.row(3)]) }
    try obstacle.remove()
    try folder.plantFailure("INSERT", on: "token_usage")
    #expect(throws: LedgerError.self) { try life.settle([RecordedUsageTests.row(3)]) }
    #expect(life.usage.sums.values.map(\.requests) == [1])
    #expect(life.usage.overhead.count == 1)
    try folder.removeFailure(on: "token_usage")
    try life.settle([RecordedUsageTests.row(3)])
    #expect(life.usage.sums.values.map(\.requests).reduce(0, +) == 2)
    #expect(life.usage.overhead.count == 2)
  }

  @Test("Refusals are counted by client and reason")
  func countsDenials() throws {
    let folder = TemporaryFolder()
    let life = try Life(folder)
    try life.database.commit([], UnawaitedRows(denials: [Sample.denial(1), Sample.denial(2)]))
    let denial = Sample.denial(1)
    let key = RecordedUsage.Refused(clientID: denial.clientID, reason: denial.reason)
    #expect(life.usage.denials == [key: 2])
  }
}
