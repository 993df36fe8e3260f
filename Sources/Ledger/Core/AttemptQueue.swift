internal import Time

/// The rows of a table that wait for an attempt: those whose `next_attempt_at` isn't NULL.
struct AttemptQueue {
  let connection: DatabaseConnection
  let table: String
  /// The columns of the table's primary key.
  let key: [String]
  /// The time for which a claimed row belongs to one server. Longer than an attempt may take.
  let claimDuration: Duration

  /// The longest time that a change waits for the ledger's writer.
  private static let busyTimeoutMilliseconds: Int32 = 5_000

  /// Opens the ledger of a running server, for an outbox.
  static func connection(
    at location: LedgerLocation
  ) throws(LedgerError) -> DatabaseConnection {
    try DatabaseConnection(
      location, access: .readWrite, busyTimeoutMilliseconds: busyTimeoutMilliseconds,
      isBorrowed: true)
  }

  /// Claims a due row for this server; returns false if another server has claimed it.
  ///
  /// All servers see the same rows. The first one to claim a row has it alone for `claimDuration`.
  /// If that server dies, another server makes the attempt later.
  func claim<each Value: StatementParameter>(
    _ values: repeat each Value, at now: Timestamp
  ) throws(LedgerError) -> Bool {
    guard case .postgresql = connection.dialect else { return true }
    let conditions = key.map { "\($0) = ?" }.joined(separator: " AND ")
    let claim = try connection.prepare(
      """
      UPDATE \(table) SET next_attempt_at = ? WHERE \(conditions) AND next_attempt_at <= ?
      RETURNING 1
      """)
    claim.bind(now.advanced(by: claimDuration).rfc3339, repeat each values, now.rfc3339)
    return try claim.firstInteger() != nil
  }

  /// Returns the earliest due time after `now`; nil if no row waits.
  func nextAttempt(after now: Timestamp) throws(LedgerError) -> Timestamp? {
    let select = try connection.prepare(
      "SELECT min(next_attempt_at) AS next FROM \(table) WHERE next_attempt_at > ?")
    select.bind(now.rfc3339)
    return try select.firstRow { fields in fields.instant("next") } ?? nil
  }
}
