internal import Time

/// The months that `usage_logs` is divided into on PostgreSQL, each a table of its own.
///
/// A month is made before the transaction of its first row, and the next one with it, so that no
/// commit has to wait for it when the month begins. Servers that make the same month take turns.
/// What comes for a month that was detached, work that was long under way, gets a table beside it.
final class UsagePartitionStore {
  private let connection: DatabaseConnection
  private let isNeeded: Bool
  /// Months that are known to be there.
  private var known: Set<UsageMonth> = []
  /// Of these, the tables of those that were detached and are still in the database.
  private var detached: [UsageMonth: String] = [:]
  /// What a transaction would have needed.
  private var missing: UsageMonth?

  init(_ connection: DatabaseConnection) {
    self.connection = connection
    isNeeded = connection.dialect == .postgresql
  }

  /// Throws where the month of a row isn't known to be there: `makeMissing` and try again.
  func require(_ instant: Timestamp) throws(LedgerError) {
    guard isNeeded else { return }
    let month = UsageMonth(of: instant)
    guard !known.contains(month) else { return }
    missing = month
    throw .unavailable(reason: "usage_logs has no table for \(month.text)")
  }

  /// Makes what the last transaction would have needed, if it would have.
  func makeMissing() throws(LedgerError) -> Bool {
    guard let month = missing else { return false }
    missing = nil
    try make(month)
    return true
  }

  /// Makes the month of an instant, unless it is there.
  func make(for instant: Timestamp) throws(LedgerError) {
    let month = UsageMonth(of: instant)
    if isNeeded, !known.contains(month) { try make(month) }
  }

  /// Whether a request has its row in a table that was detached.
  func hasDetachedRow(
    _ requestID: RequestID, admittedAt instant: Timestamp
  ) throws(LedgerError) -> Bool {
    guard !detached.isEmpty, let table = detached[UsageMonth(of: instant)] else { return false }
    let find = try connection.prepare("SELECT 1 FROM \(table) WHERE request_id = ?")
    find.bind(requestID.description, at: 1)
    return try find.firstInteger() != nil
  }

  /// A month may have been detached since it was known.
  func didRollBack() {
    guard missing == nil else { return }
    known.removeAll()
    detached.removeAll()
  }

  private func make(_ month: UsageMonth) throws(LedgerError) {
    var tables: [UsageMonth: String] = [:]
    try connection.transaction { () throws(LedgerError) in
      try connection.execute("SELECT pg_advisory_xact_lock(\(UsagePartitionStore.turn))")
      let detached = try DetachedMonthStore(connection).all()
      for month in [month, month.next] {
        let former = detached.first { $0.month == month }
        let table = former == nil ? month.table : month.lateTable
        try connection.execute(
          """
          CREATE TABLE IF NOT EXISTS \(table) PARTITION OF usage_logs
          FOR VALUES FROM ('\(month.text)') TO ('\(month.next.text)')
          """)
        tables[month] = former.flatMap { $0.isThere ? $0.table : nil }
      }
    }
    known.insert(month)
    detached[month] = tables[month]
  }

  /// Any number that nothing else in the database locks.
  private static let turn: Int64 = 0x6361_7472_6163_61FE
}
