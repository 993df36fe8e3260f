import Budgets
import Money
import Pricing
import Testing
import Time

@testable import Ledger

@Suite("Months of usage that are kept no longer", .ofPostgreSQL)
struct RetentionTests {
  private static let now = Timestamp(rfc3339: "2026-11-22T12:00:00Z")!
  private static let kept = 13
  private static let months = ["2025-08", "2025-09", "2025-10", "2026-11"]

  private static func account(in month: String) -> BudgetAccountKey {
    BudgetAccountKey(
      budgetID: BudgetID(client: "acme", name: "month"), subject: "client:acme",
      period: "monthly", windowStart: Timestamp(rfc3339: "\(month)-01T03:00:00Z")!,
      windowEnd: nil, currency: Sample.brl)
  }

  private static func settlement(_ number: Int, in month: String) -> SettledRequest {
    var row = Sample.row(number, conversation: "c\(number)")
    row.createdAt = Timestamp(rfc3339: "\(month)-15T07:30:00Z")!
    row.day = CivilDate("\(month)-15")!
    let charge = BudgetCharge(
      account: account(in: month), tokens: row.usage.totalTokens, costNano: row.cost.nanoUnits)
    return SettledRequest(row: row, charges: [charge], priceRecord: Sample.prices)
  }

  /// A row in each of the months, numbered from 1.
  private func fill(_ ledger: ServerLedger) async throws {
    for (place, month) in RetentionTests.months.enumerated() {
      try await ledger.settle(RetentionTests.settlement(place + 1, in: month))
    }
  }

  private func detach(_ folder: TemporaryFolder) throws -> [MonthDetacher.Detached] {
    try MonthDetacher(at: folder.location).detach(
      keeping: RetentionTests.kept, at: RetentionTests.now)
  }

  private func numbers(_ folder: TemporaryFolder) throws -> [RequestID] {
    try LedgerReader(at: folder.location).usageRows(limit: 100).map(\.requestID).sorted()
  }

  private func sums(_ folder: TemporaryFolder) throws -> [Int64] {
    try LedgerReader(at: folder.location).usageTotals(of: UsageQuery(by: .month)).map(\.requests)
  }

  @Test("They become tables of their own, and what was summed of them stays")
  func detached() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    try await fill(ledger)
    let before = try sums(folder)
    let expected = ["2025-08", "2025-09"].map { month in
      MonthDetacher.Detached(
        month: month, table: "usage_logs_" + month.split(separator: "-").joined(separator: "_"),
        rowCount: 1)
    }
    #expect(try detach(folder) == expected)
    #expect(try detach(folder) == [])
    #expect(try numbers(folder) == [Sample.id(3), Sample.id(4)])
    #expect(try sums(folder) == before)
    let reader = try LedgerReader(at: folder.location)
    #expect(try reader.audit() == [] && reader.goneMonths() == [])
    try folder.connection().execute("UPDATE usage_logs_2025_08 SET cost_nano = cost_nano + 1")
    #expect(try reader.audit().contains { $0.check == .cost })
    await ledger.close()
  }

  @Test("Without their tables, what was counted since they ended is verified as before")
  func gone() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    try await fill(ledger)
    await ledger.close()
    _ = try detach(folder)
    let connection = try folder.connection()
    try connection.execute("DROP TABLE usage_logs_2025_08")
    let reader = try LedgerReader(at: folder.location)
    #expect(try reader.audit() == [] && reader.goneMonths() == ["2025-08"])
    for (month, isFound) in [("2025-08", false), ("2025-09", true), ("2026-11", true)] {
      let change = "UPDATE token_usage SET tokens_input = tokens_input"
      let condition = "WHERE day LIKE '\(month)-%'"
      try connection.execute("\(change) + 1 \(condition)")
      let subjects = try reader.audit().map(\.subject)
      #expect(subjects == (isFound ? ["acme \(month)-15 tokens_input"] : []))
      try connection.execute("\(change) - 1 \(condition)")
    }
    for (month, isFound) in [("2025-08", false), ("2025-09", true)] {
      try connection.execute(
        """
        UPDATE budget_accounts SET tokens = tokens + 1 WHERE window_start LIKE '\(month)-%';
        UPDATE conversations SET day = '\(month)-14' WHERE month = '\(month)';
        UPDATE usage_daily SET requests = 2 WHERE day LIKE '\(month)-%'
        """)
      let checks = try reader.audit().map(\.check)
      #expect(checks == (isFound ? [.budgetAccount, .conversation, .rollup] : []))
    }
  }

  @Test("What comes late for one is kept beside it, and counted once")
  func late() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    try await fill(ledger)
    _ = try detach(folder)
    // It has written to the month before, and again what is there already.
    for number in [5, 1, 5] {
      try await ledger.settle(RetentionTests.settlement(number, in: "2025-08"))
    }
    await ledger.close()
    let reopened = try folder.ledger()
    try await reopened.settle(RetentionTests.settlement(6, in: "2025-08"))
    try await reopened.settle(RetentionTests.settlement(1, in: "2025-08"))
    await reopened.close()
    #expect(try numbers(folder) == (3...6).map { Sample.id($0) })
    #expect(try sums(folder).reduce(0, +) == 6)
    #expect(try LedgerReader(at: folder.location).audit() == [])
    #expect(try detach(folder) == [])
    let late = try folder.connection().prepare("SELECT count(*) FROM usage_logs_2025_08_late")
    #expect(try late.firstInteger() == 2)
  }

  @Test("One in which a request hasn't ended is left until it has", arguments: [false, true])
  func open(isDeferred: Bool) async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    try await fill(ledger)
    var intent = Sample.intent(9)
    intent.interrupted.row.createdAt = Timestamp(rfc3339: "2025-08-31T23:59:59.999Z")!
    try await ledger.open(intent)
    if isDeferred {
      let deferred = DeferredRequest(
        .response, objectID: "o", intent: intent, pricedModel: nil, serviceTier: nil,
        imageModel: nil)
      try await ledger.deferSettlement(of: deferred)
    }
    #expect(try detach(folder) == [])
    if isDeferred {
      let last = [RetentionTests.settlement(9, in: "2025-08")]
      try await ledger.settle(DeferredSettlement(of: Sample.id(9), rows: last, progress: nil))
    } else {
      try await ledger.settle(RetentionTests.settlement(9, in: "2025-08"))
    }
    #expect(try detach(folder).map(\.rowCount) == [2, 1])
    await ledger.close()
    #expect(try LedgerReader(at: folder.location).audit() == [])
  }

  @Test("One that was attached again is part of it, until it is detached again")
  func attached() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    try await fill(ledger)
    _ = try detach(folder)
    try folder.connection().execute(
      """
      ALTER TABLE usage_logs ATTACH PARTITION usage_logs_2025_09
      FOR VALUES FROM ('2025-09') TO ('2025-10')
      """)
    try await ledger.settle(RetentionTests.settlement(7, in: "2025-09"))
    await ledger.close()
    #expect(try LedgerReader(at: folder.location).audit() == [])
    #expect(try detach(folder).map(\.rowCount) == [2])
    #expect(try LedgerReader(at: folder.location).audit() == [])
  }

  @Test("Who reads the rows isn't disturbed, nor who writes for longer than an instant")
  func inTheWay() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    try await fill(ledger)
    let reader = try folder.connection()
    try reader.snapshot { () throws(LedgerError) in
      _ = try reader.prepare("SELECT count(*) FROM usage_logs").firstInteger()
      #expect(throws: LedgerError.self) { try detach(folder) }
    }
    try await ledger.settle(RetentionTests.settlement(5, in: "2025-08"))
    #expect(try detach(folder).map(\.rowCount) == [2, 1])
    await ledger.close()
  }
}
