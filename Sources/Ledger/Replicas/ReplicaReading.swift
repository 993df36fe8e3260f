/// A server that shares the ledger, or the offline reserve that a server has left.
public struct ReplicaRecord: Hashable, Sendable {
  /// The machine's name and the process ID.
  public var name: String
  /// The time since the database last received its heartbeat, in milliseconds; nil if the server is
  /// gone.
  public var silentMilliseconds: Int64?
  /// The ID of its spool, which also identifies its offline reserve.
  public var spool: String?
  /// The number of budgets with a reserve.
  public var reservedAccounts: Int64
}

extension LedgerReader {
  /// Returns the servers that share the ledger, by name, followed by the reserves of servers that
  /// are gone.
  /// - Throws: `LedgerError` if the database can't be read.
  public func replicas() throws(LedgerError) -> [ReplicaRecord] {
    let clock = connection.dialect.clockMilliseconds
    let select = try connection.prepare(
      """
      SELECT r.name, r.spool_id, \(clock) - r.heartbeat_ms AS silent,
        (SELECT count(*) FROM budget_reserves AS b WHERE b.spool_id = r.spool_id) AS accounts
      FROM replicas AS r ORDER BY r.name, r.id
      """)
    let known = try select.rows { fields throws(LedgerError) in
      ReplicaRecord(
        name: try fields.requiredText("name", of: "a replica"),
        silentMilliseconds: fields.integer("silent"), spool: fields.text("spool_id"),
        reservedAccounts: fields.integer("accounts") ?? 0)
    }
    let left = try connection.prepare(LedgerReader.selectLeftReserves)
    return try known
      + left.rows { fields throws(LedgerError) in
        ReplicaRecord(
          name: try fields.requiredText("server", of: "a spool"), spool: fields.text("spool_id"),
          reservedAccounts: fields.integer("accounts") ?? 0)
      }
  }

  private static let selectLeftReserves = """
    SELECT s.id AS spool_id, s.server, count(*) AS accounts
    FROM spools AS s JOIN budget_reserves AS b ON b.spool_id = s.id
    WHERE \(ReplicaStore.isLeft)
    GROUP BY s.id, s.server ORDER BY s.server, s.id
    """
}

extension LedgerEditor {
  /// Gives back the offline reserve of a server that will never return, nor its spool.
  ///
  /// If the server returns nevertheless, requests that it served without the ledger and hasn't
  /// reported count against no limit.
  ///
  /// - Throws: `LedgerError.stillUsed` if the server is alive or was until a moment ago;
  ///   `LedgerError.notFound`.
  public func forgetReserve(ofSpool spool: String) throws(LedgerError) {
    try connection.edit { () throws(LedgerError) in
      let find = try connection.prepare("SELECT name FROM replicas WHERE spool_id = ?")
      find.bind(spool)
      if let name = try find.firstRow({ $0.text("name") }) {
        throw .stillUsed(record: "the reserve of \(spool)", by: "replica \(name ?? spool)")
      }
      let replicas = try ReplicaStore(connection)
      let reserves = try LeaseStore(connection, .reserves, of: spool, replicas)
      guard try reserves.end(of: spool) > 0 else {
        throw .notFound(record: "reserve of \(spool)")
      }
      try replicas.remove(SpoolID(text: spool))
      try record("replica.forget", of: "replica:\(spool)", client: nil)
    }
  }
}
