/// A server that shares the ledger, or what one has left for the time when it can't ask it.
public struct ReplicaRecord: Hashable, Sendable {
  /// The machine's name and the process id.
  public var name: String
  /// When the database last heard of it, in milliseconds before now; nil where it is gone.
  public var silentMilliseconds: Int64?
  /// Names its spool, and with it its offline reserve.
  public var spool: String?
  /// Of how many budgets it has a reserve.
  public var reservedAccounts: Int64
}

extension LedgerReader {
  /// The servers that share the ledger, by name; then the reserves of those that are gone.
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
