/// A server that shares the ledger, or what one has left for the time when it can't ask it.
public struct ReplicaRecord: Hashable, Sendable {
  /// The machine's name and the process id; nil where no server is known that it belongs to.
  public var name: String?
  /// When the database last heard of it, in milliseconds before now; nil where no server is known.
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
    return known
      + (try connection.prepare(LedgerReader.selectLeftReserves).rows {
        fields throws(LedgerError) in
        ReplicaRecord(
          spool: try fields.requiredText("spool_id", of: "a reserve"),
          reservedAccounts: fields.integer("accounts") ?? 0)
      })
  }

  private static let selectLeftReserves = """
    SELECT spool_id, count(*) AS accounts FROM budget_reserves AS b
    WHERE NOT EXISTS (SELECT 1 FROM replicas AS r WHERE r.spool_id = b.spool_id)
    GROUP BY spool_id ORDER BY spool_id
    """
}
