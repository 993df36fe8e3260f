public import Time

/// Detaches the months of `usage_logs` that are older than the retention, on PostgreSQL. A detached
/// month stays as a table of its own, and its sums stay unchanged.
///
/// Detaching a table takes a lock that briefly blocks all access to `usage_logs`. Writers queue
/// behind this lock, so its timeout is shorter than a commit's, and a failed attempt is repeated
/// later. If several servers share the database, only one detaches at a time.
public struct MonthDetacher: Sendable {
  /// A month that was detached from `usage_logs`.
  public struct Detached: Hashable, Sendable {
    /// The month, for example `2026-11`.
    public let month: String
    public let table: String
    public let rowCount: Int64
  }

  private let location: LedgerLocation

  /// The longest time that the detacher blocks other sessions.
  private static let lockTimeoutMilliseconds: Int32 = 100

  public init(at location: LedgerLocation) {
    self.location = location
  }

  /// Detaches the months that are due, and counts their rows. Blocks the calling thread.
  ///
  /// A month with a request that hasn't ended (for example deferred work) is left for a later call.
  ///
  /// - Parameter monthCount: The number of whole months to keep before the month of `now`.
  /// - Throws: `LedgerError.unavailable` if other sessions use the table. Completed months stay
  ///   detached.
  public func detach(
    keeping monthCount: Int, at now: Timestamp
  ) throws(LedgerError) -> [Detached] {
    let connection = try DatabaseConnection(
      location, access: .readWrite,
      busyTimeoutMilliseconds: MonthDetacher.lockTimeoutMilliseconds, isBorrowed: true)
    try DatabaseSchema.check(connection, at: location)
    let oldest = UsageMonth(of: now).adding(-monthCount)
    for month in try attachedMonths(connection) where month < oldest {
      try connection.repeatedly { () throws(LedgerError) in
        try detach(month, at: now, connection)
      }
    }
    let store = DetachedMonthStore(connection)
    var detached: [Detached] = []
    for month in try store.uncounted() {
      guard let count = try store.count(month) else { continue }
      detached.append(Detached(month: month.month.text, table: month.table, rowCount: count))
    }
    return detached
  }

  /// Returns the attached months in order.
  private func attachedMonths(_ connection: DatabaseConnection) throws(LedgerError) -> [UsageMonth]
  {
    try connection.prepare(MonthDetacher.selectAttached).rows { fields in
      fields.text("name").flatMap { UsageMonth(table: $0) }
    }.compactMap(\.self).sorted()
  }

  private func detach(
    _ month: UsageMonth, at now: Timestamp, _ connection: DatabaseConnection
  ) throws(LedgerError) {
    try connection.transaction { () throws(LedgerError) in
      try connection.take(.detaching)
      guard try attachedMonths(connection).contains(month),
        try !hasOpenRequests(before: month.next, connection)
      else { return }
      try connection.execute("ALTER TABLE usage_logs DETACH PARTITION \(month.table)")
      try DetachedMonthStore(connection).insert(month, at: now)
    }
  }

  /// Whether a request that was admitted before the month may still get its row.
  private func hasOpenRequests(
    before month: UsageMonth, _ connection: DatabaseConnection
  ) throws(LedgerError) -> Bool {
    let settlements = SettlementReader()
    func isEarlier(_ settlement: SettledRequest) -> Bool {
      UsageMonth(of: settlement.row.createdAt) < month
    }
    for intents in try texts("SELECT intents FROM in_flight", connection) {
      if try settlements.intents(in: intents).contains(where: isEarlier) { return true }
    }
    for expected in try texts("SELECT expected FROM deferred_requests", connection) {
      if isEarlier(try settlements.settlement(in: expected)) { return true }
    }
    return false
  }

  /// Returns the first column of each row.
  private func texts(
    _ select: String, _ connection: DatabaseConnection
  ) throws(LedgerError) -> [String] {
    let select = try connection.prepare(select)
    var texts: [String] = []
    try select.forEachRow { () throws(LedgerError) in
      if let text = select.text(0) { texts.append(text) }
    }
    return texts
  }

  private static let selectAttached = """
    SELECT CAST(c.relname AS TEXT) AS name
    FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
    WHERE i.inhparent = to_regclass('usage_logs')
    """
}
