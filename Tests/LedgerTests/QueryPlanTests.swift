import Objects
import Testing
import Time

@testable import Ledger

/// An index must find the rows that pages and reports read: a table that grows with the requests is
/// never read as a whole, however many rows it has.
@Suite("How rows are found", .ofFiles) struct QueryPlanTests {
  /// Tables that grow with use.
  private static let growing = [
    "usage_logs", "usage_daily", "usage_daily_users", "usage_daily_conversations", "usage_hourly",
    "token_usage", "conversations", "denials", "audit_log", "token_billing_charges",
    "billing_periods", "provider_objects",
  ]

  private static let since = Sample.day.adding(days: -89)

  private static func query(_ grouping: UsageGrouping, client: String?) -> UsageQuery {
    var conditions: [UsageColumn: String] = [:]
    conditions[.client] = client
    return UsageQuery(
      by: grouping, where: conditions, since: TimeZoneRules.utc.startOfDay(since),
      until: TimeZoneRules.utc.startOfDay(Sample.day.adding(days: 1)))
  }

  /// How often a table that grows is read as a whole by what `body` reads, as SQLite plans it.
  private func scans(_ body: (LedgerReader) throws -> Void) async throws -> [String] {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    // Rollups are asked where rows were made; there are some.
    for number in 1...3 { try await ledger.settle(Sample.settlement(number)) }
    await ledger.close()
    let reader = try LedgerReader(at: folder.location)
    var statements: [String] = []
    reader.connection.whenPreparing = { statements.append($0) }
    try body(reader)
    #expect(!statements.isEmpty)
    let connection = try folder.connection()
    var scans: [String] = []
    for sql in statements {
      let plan = try connection.prepare("EXPLAIN QUERY PLAN \(sql)")
      while try plan.step() {
        let step = plan.text(3) ?? ""
        let words = step.split(separator: " ")
        if words.first == "SCAN", words.count > 1,
          QueryPlanTests.growing.contains(String(words[1]))
        {
          scans.append("\(step): \(sql)")
        }
        // Of a provider alone, that is nearly all objects.
        if step.hasSuffix("USING PRIMARY KEY (provider=?)") { scans.append("\(step): \(sql)") }
      }
    }
    return scans
  }

  /// Of all clients, no page asks for conversations: their rollup is then read as a whole.
  static let spans: [(UsageGrouping, String?)] =
    ([.day, .week, .model, .operation, .user, .conversation, .key] as [UsageGrouping])
    .map { ($0, "acme") }
    + ([.day, .model, .client, .user] as [UsageGrouping]).map { ($0, nil) }

  @Test("Use over days, of one client or of all", arguments: spans)
  func sums(grouping: UsageGrouping, client: String?) async throws {
    let query = QueryPlanTests.query(grouping, client: client)
    var dearest = query
    dearest.most = 50
    let found = try await scans { reader in
      _ = try reader.usageTotals(of: query)
      _ = try reader.usageTotals(of: dearest)
      _ = try reader.denialCounts(of: query)
    }
    #expect(found == [])
  }

  static let filters: [[UsageColumn: String]] =
    [[:], [.client: "acme"], [.client: "acme", .user: "u1"], [.conversation: "v1"]]
    + [UsageColumn.key, .user, .agent, .provider, .model, .operation, .outcome, .usageSource]
    .map { [.client: "acme", $0: "x"] }

  @Test("A page of the log of requests", arguments: filters)
  func requests(filter: [UsageColumn: String]) async throws {
    let range = LogRange(since: Sample.admitted, limit: 51)
    #expect(try await scans { _ = try $0.usageLog(where: filter, range) } == [])
  }

  @Test("A page of refusals and of the audit trail, and models without a price")
  func otherLogs() async throws {
    let range = LogRange(limit: 51)
    let found = try await scans { reader in
      _ = try reader.denialLog(where: [:], range)
      _ = try reader.denialLog(where: [.client: "acme", .reason: "token_limit"], range)
      _ = try reader.auditLog(where: [.client: "acme"], range)
      _ = try reader.missingPrices(since: Sample.admitted)
    }
    #expect(found == [])
  }

  @Test("What a client is billed, and who hasn't paid")
  func billing() async throws {
    let found = try await scans { reader in
      _ = try reader.billingStatement(of: "acme", period: "2026-11")
      _ = try reader.billingPeriods(ofClient: "acme", limit: 36)
      _ = try reader.latestBillingPeriods(afterClient: "", limit: 51)
      _ = try reader.unpaidCharges(limit: 50)
      _ = try reader.dailyUsage(
        ofClient: "acme", from: QueryPlanTests.since, through: Sample.day)
    }
    #expect(found == [])
  }

  @Test("Whose an object is, and a client's objects")
  func objects() async throws {
    let filters = [
      ObjectFilter(owner: .client("acme")), ObjectFilter(objectID: "file-1"),
      ObjectFilter(owner: .everybody, provider: "openai", kind: .file),
      ObjectFilter(kind: .prompt), ObjectFilter(provider: "openai", kind: .prompt),
    ]
    let cursor = ObjectCursor("openai/file/1/file-1")
    let found = try await scans { reader in
      _ = try reader.owners(of: ["file-1", "file-2"], provider: "openai")
      _ = try reader.ids(
        of: OwnObjects(
          of: "acme", provider: "openai", kind: .file, isNewestFirst: true, limit: 9))
      for filter in filters {
        _ = try reader.objects(filter, limit: 9)
        _ = try reader.objects(filter, after: cursor, limit: 9)
      }
    }
    #expect(found == [])
  }

  @Test("A table that is read as a whole is noticed")
  func noticed() async throws {
    let found = try await scans { reader in
      _ = try reader.connection.prepare("SELECT * FROM usage_logs WHERE latency_ms > 5")
    }
    #expect(found.count == 1)
  }
}
