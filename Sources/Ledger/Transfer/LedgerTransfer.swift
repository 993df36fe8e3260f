internal import Time

/// Copies a ledger in a file into a PostgreSQL database that several servers share.
///
/// Tables are copied in the order of their keys, one batch per transaction, with all IDs. A target
/// table therefore always has the beginning of the source table, and an interrupted transfer
/// continues there. If the target has other rows, the transfer refuses to start and changes
/// nothing.
public final class LedgerTransfer {
  private let source: DatabaseConnection
  private let target: DatabaseConnection
  private let tables: [TransferTable]
  /// Keeps servers from changing the source during the copy.
  private let lock: ServerLock

  /// The number of rows in one transaction.
  var batch = 10_000

  /// The result of a transfer.
  public struct Outcome: Hashable, Sendable {
    public var tables: Int
    /// All rows in the target.
    public var rows: Int64
    /// The rows that this transfer copied.
    public var copiedRows: Int64
  }

  private static let busyTimeoutMilliseconds: Int32 = 5_000

  /// Opens both ledgers and updates both to the newest schema. First completes the work that a
  /// killed server has left in the source.
  ///
  /// - Throws: The errors of opening a ledger; `LedgerError.inUse` if a server uses one of them,
  ///   and `LedgerError.notEmpty` if the target has other rows.
  public init(from path: String, to target: LedgerLocation) throws(LedgerError) {
    let origin = LedgerLocation.sqlite(path: path)
    // Opening and closing the ledger writes the spool, settles requests in flight, and writes the
    // sums.
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

  /// Returns the number of rows that both will have.
  /// - Throws: `LedgerError` if the source can't be read.
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

  /// Copies the missing rows, and compares both ledgers.
  ///
  /// - Parameter whenCopied: Called for each row that the target has.
  /// - Throws: `LedgerError.unavailable`, after which the transfer can be repeated;
  ///   `LedgerError.unreadable` if a table differs after the copy.
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

  /// Creates a table for each month of usage.
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
