public import Budgets
public import Time

/// Reads a ledger, also while a server writes to it. One thread may use it at a time.
///
/// It has a read-only connection of its own and sees committed changes. All calls block, and throw
/// `LedgerError.unavailable` or `LedgerError.unreadable`.
public final class LedgerReader {
  let connection: DatabaseConnection

  /// The longest time that a read waits for a lock.
  private static let busyTimeoutMilliseconds: Int32 = 5_000

  /// Opens an existing ledger.
  ///
  /// - Parameter unreadable: notes the rows that a server starts without, because they can't be
  ///   understood; without it, such a row is an error.
  /// - Throws: `cannotOpen`, `notALedger`, `tooNew` or `tooOld`.
  public convenience init(
    at location: LedgerLocation, passingOver unreadable: UnreadableRows? = nil
  ) throws(LedgerError) {
    try self.init(at: location, fileSystem: nil)
    connection.unreadable = unreadable
  }

  /// - Parameter fileSystem: As in `ServerLedger.Options`.
  package init(at location: LedgerLocation, fileSystem: String?) throws(LedgerError) {
    connection = try DatabaseConnection(
      location, access: .readOnly,
      busyTimeoutMilliseconds: LedgerReader.busyTimeoutMilliseconds, fileSystem: fileSystem,
      isBorrowed: true)
    try DatabaseSchema.check(connection, at: location)
  }

  /// Sets the longest silence of a database on another machine, which is 65 seconds at first. After
  /// it, reads throw `LedgerError.unavailable`.
  public func expectAnswers(within patience: Duration) {
    connection.expectAnswers(within: patience)
  }

  /// Selects rows of `usage_logs`.
  public struct UsageFilter: Hashable, Sendable {
    public var clientID: String?
    /// The earliest time of admission.
    public var since: Timestamp?
    /// The time before which rows were admitted.
    public var until: Timestamp?

    public init(clientID: String? = nil, since: Timestamp? = nil, until: Timestamp? = nil) {
      self.clientID = clientID
      self.since = since
      self.until = until
    }
  }

  /// At most `limit` rows, newest first.
  ///
  /// - Throws: `LedgerError` if the ledger can't be read.
  public func usageRows(
    _ filter: UsageFilter = UsageFilter(), limit: Int
  ) throws(LedgerError) -> [UsageRow] {
    let select = try connection.prepare(
      filter.clientID == nil ? LedgerReader.selectRows : LedgerReader.selectRowsOfClient)
    filter.bind(to: select)
    select.bind(Int64(limit), at: 4)
    return try select.rows(UsageRow.init(from:))
  }

  /// The row of one request; nil when there is none (yet).
  ///
  /// - Throws: `LedgerError` if the ledger can't be read.
  public func usageRow(_ requestID: RequestID) throws(LedgerError) -> UsageRow? {
    try usageLogEntry(requestID)?.content
  }

  /// The same with its number.
  ///
  /// - Throws: `LedgerError` if the ledger can't be read.
  public func usageLogEntry(
    _ requestID: RequestID
  ) throws(LedgerError) -> LogEntry<UsageRow>? {
    let select = try connection.prepare(LedgerReader.selectRow)
    select.bind(requestID.description)
    return try select.firstRow { fields throws(LedgerError) in
      let row = try UsageRow(from: fields)
      return LogEntry(id: fields.integer("id") ?? 0, createdAt: row.createdAt, content: row)
    }
  }

  /// The requests in flight, oldest first, each as it would be recorded if Catraca died now.
  ///
  /// - Throws: `LedgerError` if the ledger can't be read.
  public func openIntents() throws(LedgerError) -> [UsageRow] {
    try openSettlements().map(\.row)
  }

  /// The holds of the requests in flight, and of the requests that their providers still work on.
  ///
  /// - Throws: `LedgerError` if the ledger can't be read.
  public func recordedHolds() throws(LedgerError) -> [RecordedHold] {
    try openSettlements().map(\.recordedHold) + deferredRequests().map(\.recordedHold)
  }

  /// Returns the settlements that a recovery would make of the open intents, oldest first.
  private func openSettlements() throws(LedgerError) -> [SettledRequest] {
    let select = try connection.prepare("SELECT id, intents FROM in_flight ORDER BY id")
    let findEnd = try connection.prepare(UsageLogStore.findRow)
    let settlements = SettlementReader()
    let rows = try select.rows { fields throws(LedgerError) in
      (id: fields.integer("id") ?? 0, intents: fields.text("intents"))
    }
    var open: [SettledRequest] = []
    for row in rows {
      guard let text = row.intents else { continue }
      let intents = try settlements.intents(
        in: text, ofRow: row.id, passingOver: connection.unreadable)
      for intent in intents {
        findEnd.bind(intent.row.requestID.description)
        if try findEnd.firstInteger() == nil { open.append(intent) }
      }
    }
    return open
  }

  /// The stored prices of a version; nil when it is unknown.
  ///
  /// - Throws: `LedgerError` if the ledger can't be read.
  public func priceRecord(version: String) throws(LedgerError) -> String? {
    let select = try connection.prepare(LedgerReader.selectPriceRecord)
    defer { select.reset() }
    select.bind(version)
    return try select.step() ? select.text(0) : nil
  }

  /// The stored prices of versions, by version. Unknown versions are left out.
  ///
  /// - Throws: `LedgerError` if the ledger can't be read.
  public func priceRecords(
    versions: Set<String>
  ) throws(LedgerError) -> [String: String] {
    var records: [String: String] = [:]
    for version in versions { records[version] = try priceRecord(version: version) }
    return records
  }

  private static let selectRows = """
    SELECT * FROM usage_logs WHERE CAST(?1 AS TEXT) IS NULL AND created_at >= ?2 AND created_at < ?3
    ORDER BY id DESC LIMIT ?4
    """
  private static let selectRowsOfClient = """
    SELECT * FROM usage_logs WHERE client_id = ?1 AND created_at >= ?2 AND created_at < ?3
    ORDER BY created_at DESC, id DESC LIMIT ?4
    """
  private static let selectRow = "SELECT * FROM usage_logs WHERE request_id = ?"
  private static let selectPriceRecord = "SELECT record FROM price_versions WHERE version = ?"
}

extension LedgerReader.UsageFilter {
  /// Binds the client to `?1`, the first time to `?2`, and the end to `?3`.
  func bind(to statement: Statement) {
    statement.bind(clientID, at: 1)
    statement.bind(since?.rfc3339 ?? "", at: 2)
    // This text is greater than the text of every time.
    statement.bind(until?.rfc3339 ?? "~", at: 3)
  }
}
