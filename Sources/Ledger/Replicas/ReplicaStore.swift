internal import EventLoop
internal import Time

/// Reads and writes `replicas`: the servers that share the ledger, with the time of each one's last
/// heartbeat.
///
/// All times are the database's, because the clocks of replicas may differ.
final class ReplicaStore {
  private let insert: Statement
  private let update: Statement
  private let count: Statement
  private let select: Statement
  private let delete: Statement
  private let deleteSilent: Statement
  private let deleteOthers: Statement
  private let insertSpool: Statement
  private let selectSpools: Statement
  private let deleteSpool: Statement
  private let deleteForgotten: Statement
  private let lock: Statement

  init(_ connection: DatabaseConnection) throws(LedgerError) {
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
    insertSpool = try connection.prepare(ReplicaStore.insertSpoolRow)
    selectSpools = try connection.prepare(
      "SELECT id, path FROM spools AS s WHERE \(ReplicaStore.isLeft) ORDER BY id")
    deleteSpool = try connection.prepare("DELETE FROM spools WHERE id = ?")
    deleteForgotten = try connection.prepare(ReplicaStore.deleteForgottenSpools)
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
  ///   - name: The name shown to people, for example the host's name and the process ID.
  ///   - spool: The spool whose offline reserve the replica uses.
  func register(
    _ replica: ReplicaID, name: String, spool: SpoolAddress?, at now: Timestamp
  ) throws(LedgerError) {
    try insert.run(replica.text, name, now.rfc3339, spool?.id.text)
    guard let spool else { return }
    try insertSpool.run(spool.id.text, name, spool.path)
  }

  /// Returns the spools of servers that are gone.
  func leftSpools() throws(LedgerError) -> [SpoolAddress] {
    var found: [SpoolAddress] = []
    try selectSpools.forEachRow { () throws(LedgerError) in
      guard let id = selectSpools.text(0), let path = selectSpools.text(1) else { return }
      found.append(SpoolAddress(id: SpoolID(text: id), path: path))
    }
    return found
  }

  /// Removes spools without a server and without content.
  func removeForgottenSpools() throws(LedgerError) {
    try deleteForgotten.run()
  }

  func remove(_ spool: SpoolID) throws(LedgerError) {
    try deleteSpool.run(spool.text)
  }

  /// Returns false if the replica was declared dead.
  func beat(_ replica: ReplicaID) throws(LedgerError) -> Bool {
    update.bind(replica.text)
    return try update.firstInteger() != nil
  }

  /// Returns the number of replicas, at least one.
  func replicaCount() throws(LedgerError) -> Int64 {
    max(1, try count.firstInteger() ?? 1)
  }

  /// Returns the replicas without a heartbeat for longer than `silence`.
  func silent(for silence: Duration) throws(LedgerError) -> [ReplicaID] {
    select.bind(silence.wholeMilliseconds)
    var found: [ReplicaID] = []
    try select.forEachRow { () throws(LedgerError) in
      if let id = select.text(0) { found.append(ReplicaID(text: id)) }
    }
    return found
  }

  /// Locks the replica's row, so that no other replica ends it before this transaction ends.
  ///
  /// - Throws: `LedgerError.takenForDead` if the replica was declared dead.
  func checkStanding(of replica: ReplicaID) throws(LedgerError) {
    lock.bind(replica.text)
    guard try lock.firstInteger() != nil else { throw .takenForDead }
  }

  /// Removes a replica if it has been silent for this long; returns whether it did.
  func remove(_ replica: ReplicaID, silentFor silence: Duration) throws(LedgerError) -> Bool {
    deleteSilent.bind(replica.text, silence.wholeMilliseconds)
    return try deleteSilent.firstInteger() != nil
  }

  /// Removes the other replicas of a spool, and returns them.
  func removeOthers(
    than replica: ReplicaID, of spool: SpoolID
  ) throws(LedgerError) -> [ReplicaID] {
    deleteOthers.bind(spool.text, replica.text)
    var removed: [ReplicaID] = []
    try deleteOthers.forEachRow { () throws(LedgerError) in
      if let id = deleteOthers.text(0) { removed.append(ReplicaID(text: id)) }
    }
    return removed
  }

  func remove(_ replica: ReplicaID) throws(LedgerError) {
    try delete.run(replica.text)
  }
}

extension ReplicaStore {
  private static let insertSpoolRow = """
    INSERT INTO spools (id, server, path) VALUES (?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET server = excluded.server, path = excluded.path
    """
  private static let deleteForgottenSpools = """
    DELETE FROM spools AS s WHERE \(isLeft)
      AND NOT EXISTS (SELECT 1 FROM budget_reserves AS b WHERE b.spool_id = s.id)
    """
  /// The SQL condition that no server has the spool in row `s`.
  static let isLeft = "NOT EXISTS (SELECT 1 FROM replicas AS r WHERE r.spool_id = s.id)"
}

extension Duration {
  fileprivate var wholeMilliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}

/// The time of the last heartbeat that reached the database, by this replica's monotonic clock.
///
/// If the database hasn't received a replica's heartbeat for `silenceOfTheDead`, other replicas
/// declare it dead.
final class Heartbeat: Sendable {
  static let interval = Duration.seconds(1)
  static let silenceOfTheDead = Duration.seconds(10)
  /// The time after which the next heartbeat is late.
  private static let lateness = interval + .milliseconds(500)

  private let lastSent = Lock<MonotonicInstant?>(nil)

  /// Notes a heartbeat that has reached the database.
  func note(sentAt sent: MonotonicInstant) {
    lastSent.withLock { $0 = sent }
  }

  /// Whether the last heartbeat has arrived, and the next one isn't late.
  func isFresh(at now: MonotonicInstant) -> Bool {
    lastSent.withLock { sent in sent.map { now < $0.advanced(by: Heartbeat.lateness) } ?? false }
  }
}
