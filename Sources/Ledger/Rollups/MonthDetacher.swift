public import Time

/// Detaches the months of `usage_logs` that are older than is kept, on PostgreSQL: they stay as
/// tables of their own, and all that was summed of them stays as it is.
///
/// To detach a table takes a lock that keeps everybody from `usage_logs` for an instant. Whoever
/// writes waits behind who waits for it: so it is waited for less long than a commit may take, and
/// tried again later. Of several servers, one does it at a time.
public struct MonthDetacher: Sendable {
  /// A month that is no part of `usage_logs` any more.
  public struct Detached: Hashable, Sendable {
    /// Such as `2026-11`.
    public let month: String
    public let table: String
    public let rowCount: Int64
  }

  private let location: LedgerLocation

  /// How long it keeps others waiting at most.
  private static let lockTimeoutMilliseconds: Int32 = 100

  public init(at location: LedgerLocation) {
    self.location = location
  }

  /// Detaches what is due, and counts its rows. Blocks meanwhile.
  ///
  /// A month in which a request was admitted that hasn't ended, such as deferred work, is left for
  /// another time. Throws `unavailable` where others need the table just now, too: what was done
  /// until then stands.
  ///
  /// - Parameter monthCount: how many whole months before that of `now` are kept.
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

  /// In order.
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

  /// Whether a request that was admitted before a month begins may still get its row.
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

  /// What stands in the first column of each row.
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
