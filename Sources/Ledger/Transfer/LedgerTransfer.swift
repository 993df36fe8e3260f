internal import Time

/// Copies a ledger in a file into a database that several servers share.
///
/// Tables are copied in the order of their keys, a batch in one transaction, with all ids. So what
/// the target has of a table is always its beginning, and a transfer that was interrupted goes on
/// where it stopped. Rows that are no such beginning are somebody else's, and nothing is touched.
public final class LedgerTransfer {
  private let source: DatabaseConnection
  private let target: DatabaseConnection
  private let tables: [TransferTable]
  /// No server may change what is being copied.
  private let lock: ServerLock

  /// Rows in one transaction.
  var batch = 10_000

  /// What became of it.
  public struct Outcome: Hashable, Sendable {
    public var tables: Int
    /// In the target now.
    public var rows: Int64
    /// Of those, what this transfer has copied.
    public var copiedRows: Int64
  }

  private static let busyTimeoutMilliseconds: Int32 = 5_000

  /// Opens both, and brings both to the newest schema. What a killed server has left in the source
  /// is brought to its end first.
  ///
  /// Throws what opening a ledger does, `inUse` while a server serves from one of them, and
  /// `notEmpty` where the target has rows of its own.
  public init(from path: String, to target: LedgerLocation) throws(LedgerError) {
    let origin = LedgerLocation.sqlite(path: path)
    // Writes what waits, settles what was in flight, and sums up, all by opening and closing it.
    _ = try ServerLedger(ServerLedger.Options(origin))
    lock = try ServerLock(of: origin)
    source = try DatabaseConnection(
      origin, access: .readOnly,
      busyTimeoutMilliseconds: LedgerTransfer.busyTimeoutMilliseconds)
    let isAtRest = try source.prepare(LedgerTransfer.countUnfinished).firstInteger() == 0
    guard isAtRest else { throw .inUse(path: path, processID: nil) }
    self.target = try DatabaseConnection(
      target, access: .readWrite,
      busyTimeoutMilliseconds: LedgerTransfer.busyTimeoutMilliseconds)
    _ = try DatabaseSchema.migrate(self.target, at: target)
    try DatabaseSchema.requireNewest(source, at: origin)
    try DatabaseSchema.requireNewest(self.target, at: target)
    guard try self.target.prepare("SELECT count(*) FROM replicas").firstInteger() == 0 else {
      throw .inUse(path: target.description, processID: nil)
    }
    tables = try TransferTable.all(of: source)
    for table in tables {
      guard try table.isBeginning(in: self.target, of: source) else {
        throw .notEmpty(path: target.description, table: table.name)
      }
    }
  }

  /// How many rows both will have.
  public func rowCount() throws(LedgerError) -> Int64 {
    try rowCount(in: source)
  }

  private func rowCount(in connection: DatabaseConnection) throws(LedgerError) -> Int64 {
    var count: Int64 = 0
    for table in tables {
      count += try connection.prepare("SELECT count(*) FROM \(table.name)").firstInteger() ?? 0
    }
    return count
  }

  /// Copies what the target doesn't have yet, and compares both.
  ///
  /// Throws `unavailable`, after which the same can be tried again, or `unreadable` where a table
  /// isn't the same afterwards.
  ///
  /// - Parameter whenCopied: told of each row that the target has.
  public func run(whenCopied: () -> Void) throws(LedgerError) -> Outcome {
    let present = try rowCount(in: target)
    for _ in 0..<present { whenCopied() }
    try makeMonths()
    for table in tables {
      try table.copy(from: source, to: target, batch: batch, whenCopied: whenCopied)
    }
    for table in tables {
      guard try table.isWhole(in: target, of: source) else {
        throw .unreadable(record: "table \(table.name) of the target, which isn't the source's,")
      }
      try table.continueNumbers(in: target)
    }
    let rows = try rowCount(in: target)
    return Outcome(tables: tables.count, rows: rows, copiedRows: rows - present)
  }

  /// Makes a table for each month of usage.
  private func makeMonths() throws(LedgerError) {
    let partitions = UsagePartitionStore(target)
    let instants = try source.prepare(LedgerTransfer.selectMonths).rows { fields in
      fields.text("instant").flatMap { Timestamp(rfc3339: $0) }
    }
    for instant in instants {
      guard let instant else { throw .unreadable(record: "created_at of a usage row") }
      try partitions.make(for: instant)
    }
  }

  private static let countUnfinished = """
    SELECT (SELECT count(*) FROM in_flight)
      + (SELECT count(*) FROM usage_logs WHERE id > (SELECT last_id FROM usage_totals_reach))
    """
  private static let selectMonths =
    "SELECT min(created_at) AS instant FROM usage_logs GROUP BY substr(created_at, 1, 7)"
}
