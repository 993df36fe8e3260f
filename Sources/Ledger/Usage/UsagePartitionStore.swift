internal import Time

/// Manages the monthly partitions of `usage_logs` on PostgreSQL, each of which is a table.
///
/// A month's table is created before the transaction of its first row, together with the next
/// month's, so that no commit waits for it when the month begins. Servers that create the same
/// month take turns. If a late row belongs to a detached month, it goes to a new table for that
/// month.
final class UsagePartitionStore {
  private let connection: DatabaseConnection
  private let isNeeded: Bool
  /// The months that are known to have a table.
  private var known: Set<UsageMonth> = []
  /// The tables of detached months that are still in the database.
  private var detached: [UsageMonth: String] = [:]
  /// The month that the last transaction lacked; nil for none.
  private var missing: UsageMonth?

  init(_ connection: DatabaseConnection) {
    self.connection = connection
    isNeeded = connection.dialect == .postgresql
  }

  /// Throws if the month of a row isn't known to have a table. The caller then calls `makeMissing`
  /// and retries.
  func require(_ instant: Timestamp) throws(LedgerError) {
    guard isNeeded else { return }
    let month = UsageMonth(of: instant)
    guard !known.contains(month) else { return }
    missing = month
    throw .unavailable(reason: "usage_logs has no table for \(month.text)")
  }

  /// Creates the month that the last transaction lacked; returns false if it lacked none.
  func makeMissing() throws(LedgerError) -> Bool {
    guard let month = missing else { return false }
    missing = nil
    try make(month)
    return true
  }

  /// Creates the month of a time, unless it exists.
  func make(for instant: Timestamp) throws(LedgerError) {
    let month = UsageMonth(of: instant)
    if isNeeded, !known.contains(month) { try make(month) }
  }

  /// Whether a request has its row in a detached table.
  func hasDetachedRow(
    _ requestID: RequestID, admittedAt instant: Timestamp
  ) throws(LedgerError) -> Bool {
    guard !detached.isEmpty, let table = detached[UsageMonth(of: instant)] else { return false }
    let find = try connection.prepare("SELECT 1 FROM \(table) WHERE request_id = ?")
    find.bind(requestID.description)
    return try find.firstInteger() != nil
  }

  /// Forgets the known months, because one may have been detached since.
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

  /// The key of the lock: any number that nothing else in the database uses.
  private static let turn: Int64 = 0x6361_7472_6163_61FE
}
