import Budgets
import Glibc
import Money
import Pricing
import Testing
import Time

@testable import Ledger

/// A folder of its own, gone with the last reference, and a ledger: a file in it, or a database of
/// the server at `CATRACA_TEST_POSTGRES` where that is set.
final class TemporaryFolder: Sendable {
  let path: String
  private let database: TestDatabase?

  init() {
    path = TemporaryFolder.make()
    database = TestServer.url.map { TestDatabase(on: $0) }
  }

  /// A ledger in a file, also where others are in databases.
  init(ofFile: Void) {
    path = TemporaryFolder.make()
    database = nil
  }

  private init(_ database: TestDatabase?) {
    path = TemporaryFolder.make()
    self.database = database
  }

  private static func make() -> String {
    var template = Array("/tmp/catraca-ledger-XXXXXX".utf8CString)
    return template.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }
  }

  var ledgerPath: String { "\(path)/catraca.db" }
  var spoolPath: String { "\(ledgerPath).spool" }
  var location: LedgerLocation { database?.location ?? .sqlite(path: ledgerPath) }

  deinit {
    for name in names { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  var names: [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// The ledger as it stands now: what a SIGKILL would leave behind.
  func copy() throws -> TemporaryFolder {
    let copy = TemporaryFolder(try database?.copy())
    for name in names where !name.hasSuffix("-shm") && !name.hasSuffix(".lock") {
      try File(path: "\(copy.path)/\(name)").append(try read(name))
    }
    return copy
  }

  /// An obstacle that keeps a server from writing to the ledger until it is removed.
  func obstacle() throws -> Obstacle {
    if let database { return .databaseAway(database.block()) }
    let connection = try connection()
    try connection.execute("BEGIN IMMEDIATE")
    return .fileLocked(connection)
  }

  func read(_ name: String) throws -> [UInt8] {
    let file = try File(path: "\(path)/\(name)")
    return try file.read(count: try file.size(), at: 0)
  }

  func write(_ name: String, _ text: String) throws {
    try File(path: "\(path)/\(name)").append(Array(text.utf8))
  }

  func options(onFailure: ServerLedger.FailurePolicy = .deny) -> ServerLedger.Options {
    // No patience and hardly a pause: a failure is seen at once, and so is its end. Databases of
    // tests that run meanwhile have some locks in common.
    var options = ServerLedger.Options(
      location, onFailure: onFailure, busyTimeoutMilliseconds: location.isShared ? 1_000 : 0,
      retryInterval: .milliseconds(1))
    options.spoolPath = spoolPath
    // The next server ends the requests of a killed one, without waiting for others.
    options.isShared = false
    return options
  }

  func ledger(onFailure: ServerLedger.FailurePolicy = .deny) throws -> ServerLedger {
    try ServerLedger(options(onFailure: onFailure))
  }

  /// Has every statement of a kind on a table fail.
  func plantFailure(_ statement: String, on table: String) throws {
    let connection = try connection()
    switch connection.dialect {
    case .sqlite:
      try connection.execute(
        """
        CREATE TRIGGER planted BEFORE \(statement) ON \(table)
        BEGIN SELECT raise(ABORT, 'planted'); END
        """)
    case .postgresql:
      try connection.execute(
        """
        CREATE FUNCTION planted() RETURNS trigger LANGUAGE plpgsql
          AS $$ BEGIN RAISE 'planted'; END $$;
        CREATE TRIGGER planted BEFORE \(statement) ON \(table)
          FOR EACH ROW EXECUTE FUNCTION planted()
        """)
    }
  }

  func removeFailure(on table: String) throws {
    let connection = try connection()
    switch connection.dialect {
    case .sqlite: try connection.execute("DROP TRIGGER planted")
    case .postgresql: try connection.execute("DROP TRIGGER planted ON \(table)")
    }
  }

  func connection() throws -> DatabaseConnection {
    try DatabaseConnection(location, access: .readWrite, busyTimeoutMilliseconds: 1000)
  }
}

enum Sample {
  static let admitted = Timestamp(rfc3339: "2026-11-22T07:30:00.123Z")!
  static let day = CivilDate(year: 2026, month: 11, day: 22)!
  static let brl = Currency("BRL")!
  static let prices = #"{"input":"1","output":"4"}"#

  /// Distinct ids in ascending order.
  static func id(_ number: Int) -> RequestID {
    RequestID(high: 0x019a_ab6e_3c1b_7000, low: 0x8000_0000_0000_0000 | UInt64(number))
  }

  static func account(
    _ budget: String = "acme/month", subject: String = "client:acme", currency: Currency = brl,
    windowEnd: Timestamp? = Timestamp(rfc3339: "2026-12-01T03:00:00Z")
  ) -> BudgetAccountKey {
    let parts = budget.split(separator: "/").map { String($0) }
    return BudgetAccountKey(
      budgetID: BudgetID(client: parts[0], name: parts[1]), subject: subject, period: "monthly",
      windowStart: Timestamp(rfc3339: "2026-11-01T03:00:00Z")!, windowEnd: windowEnd,
      currency: currency)
  }

  /// One nano a token of input, four a token of output; BRL are five times as many.
  static func cost(_ usage: Usage) -> (nanoUSD: Int64, nano: Int64) {
    let nanoUSD = usage.inputTokens + 4 * usage.outputTokens
    return (nanoUSD, 5 * nanoUSD)
  }

  static func intent(_ number: Int, client: String = "acme") -> Intent {
    let usage = Usage(inputTokens: 20, outputTokens: 30)!
    let cost = cost(usage)
    return Intent(
      requestID: id(number), clientID: client, keyName: "web", userID: "u1", provider: "openai",
      model: "gpt-4o-mini", operation: .chat, endpoint: "/v1/chat/completions", isStream: true,
      heldTokens: 500, heldNanoUSD: 2000,
      estimate: Intent.Estimate(
        usage: usage, costNanoUSD: cost.nanoUSD,
        cost: Money(nanoUnits: cost.nano, currency: brl), priceVersion: "prices#1",
        priceRecord: prices,
        charges: [BudgetCharge(account: account(), tokens: 50, costNano: cost.nano)]),
      metadata: #"{"team":"blue"}"#, createdAt: admitted, day: day)
  }

  static func row(
    _ number: Int, client: String = "acme", conversation: String? = nil,
    usage: Usage = Usage(inputTokens: 100, cachedInputTokens: 40, outputTokens: 10)!
  ) -> UsageRow {
    let cost = cost(usage)
    return UsageRow(
      requestID: id(number), clientID: client, keyName: "web", userID: "u1",
      conversationID: conversation, provider: "openai", model: "gpt-4o-mini",
      responseModel: "gpt-4o-mini-2024-07-18", operation: .chat,
      endpoint: "/v1/chat/completions", isStream: true, status: 200, outcome: .ok,
      usageSource: .reported, usage: usage, costNanoUSD: cost.nanoUSD,
      cost: Money(nanoUnits: cost.nano, currency: brl), priceVersion: "prices#1",
      heldTokens: 500, heldNanoUSD: 2000, latencyMilliseconds: 812,
      timeToFirstTokenMilliseconds: 95, overheadMicroseconds: 240, createdAt: admitted, day: day)
  }

  static func settlement(
    _ number: Int, client: String = "acme", conversation: String? = nil
  ) -> SettledRequest {
    let row = row(number, client: client, conversation: conversation)
    return SettledRequest(
      row: row,
      charges: [
        BudgetCharge(
          account: account(), tokens: row.usage.totalTokens, costNano: row.cost.nanoUnits)
      ], priceRecord: prices)
  }

  static func denial(_ number: Int) -> DenialRow {
    DenialRow(
      requestID: id(number), clientID: "acme", keyName: "web", userID: nil, operation: .chat,
      model: "gpt-4o-mini", budgetID: "acme/month", reason: .tokenLimit, limitValue: 1_000_000,
      used: 998_120, held: 0, requested: 4_210,
      resetAt: Timestamp(rfc3339: "2026-12-01T03:00:00Z"), createdAt: admitted)
  }
}

extension LedgerReader {
  /// The audit with the sample prices.
  func audit() throws -> [AuditDifference] {
    try audit { _, usage in
      let cost = Sample.cost(usage)
      return (cost.nanoUSD, cost.nano, cost.nanoUSD)
    }
  }

  /// The differences that the audit finds in rollups.
  func rollupDifferences() throws(LedgerError) -> [AuditDifference] {
    try connection.snapshot { () throws(LedgerError) in
      try rollupDifferences(AuditedRows(connection))
    }
  }
}
