internal import Time

/// `replicas`: the servers that share the ledger, and when the database last heard of each.
///
/// Only the database's clock is asked: replicas' clocks may differ.
final class ReplicaStore {
  private let insert: Statement
  private let update: Statement
  private let count: Statement
  private let select: Statement
  private let delete: Statement
  private let deleteSilent: Statement
  private let deleteOthers: Statement
  private let lock: Statement

  init(_ connection: Connection) throws(LedgerError) {
    let clock = connection.dialect.clockMilliseconds
    insert = try connection.prepare(
      """
      INSERT INTO replicas (id, name, started_at, spool_id, heartbeat_ms)
      VALUES (?, ?, ?, ?, \(clock))
      """)
    update = try connection.prepare(
      "UPDATE replicas SET heartbeat_ms = \(clock) WHERE id = ? RETURNING 1")
    count = try connection.prepare("SELECT count(*) FROM replicas")
    select = try connection.prepare(
      "SELECT id FROM replicas WHERE heartbeat_ms < \(clock) - CAST(? AS BIGINT) ORDER BY id")
    delete = try connection.prepare("DELETE FROM replicas WHERE id = ?")
    deleteOthers = try connection.prepare(
      "DELETE FROM replicas WHERE spool_id = ? AND id <> ? RETURNING id")
    deleteSilent = try connection.prepare(
      """
      DELETE FROM replicas WHERE id = ? AND heartbeat_ms < \(clock) - CAST(? AS BIGINT)
      RETURNING 1
      """)
    lock = try connection.prepare(
      "SELECT 1 FROM replicas WHERE id = ? \(connection.dialect.lockingKey)")
  }

  /// - Parameters:
  ///   - name: by which people know it, such as the host's name and the process id.
  ///   - spool: whose offline reserve it uses.
  func register(
    _ replica: ReplicaID, name: String, spool: SpoolID?, at now: Timestamp
  ) throws(LedgerError) {
    insert.bind(replica.text, at: 1)
    insert.bind(name, at: 2)
    insert.bind(now.rfc3339, at: 3)
    insert.bind(spool?.text, at: 4)
    try insert.run()
  }

  /// False where the replica was taken for dead.
  func beat(_ replica: ReplicaID) throws(LedgerError) -> Bool {
    update.bind(replica.text, at: 1)
    return try update.firstInteger() != nil
  }

  /// How many there are; at least one, for who asks.
  func replicaCount() throws(LedgerError) -> Int64 {
    max(1, try count.firstInteger() ?? 1)
  }

  /// Those that were silent for longer than `silence`.
  func silent(for silence: Duration) throws(LedgerError) -> [ReplicaID] {
    select.bind(silence.wholeMilliseconds, at: 1)
    var found: [ReplicaID] = []
    try select.forEachRow { () throws(LedgerError) in
      if let id = select.text(0) { found.append(ReplicaID(text: id)) }
    }
    return found
  }

  /// Throws `takenForDead` unless the replica still stands; no other ends it before this
  /// transaction has ended.
  func checkStanding(of replica: ReplicaID) throws(LedgerError) {
    lock.bind(replica.text, at: 1)
    guard try lock.firstInteger() != nil else { throw .takenForDead }
  }

  /// Whether it was still there, and silent for so long.
  func remove(_ replica: ReplicaID, silentFor silence: Duration) throws(LedgerError) -> Bool {
    deleteSilent.bind(replica.text, at: 1)
    deleteSilent.bind(silence.wholeMilliseconds, at: 2)
    return try deleteSilent.firstInteger() != nil
  }

  /// Removes those of a spool but one.
  func removeOthers(
    than replica: ReplicaID, of spool: SpoolID
  ) throws(LedgerError) -> [ReplicaID] {
    deleteOthers.bind(spool.text, at: 1)
    deleteOthers.bind(replica.text, at: 2)
    var removed: [ReplicaID] = []
    try deleteOthers.forEachRow { () throws(LedgerError) in
      if let id = deleteOthers.text(0) { removed.append(ReplicaID(text: id)) }
    }
    return removed
  }

  func remove(_ replica: ReplicaID) throws(LedgerError) {
    delete.bind(replica.text, at: 1)
    try delete.run()
  }
}

extension Duration {
  fileprivate var wholeMilliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}
