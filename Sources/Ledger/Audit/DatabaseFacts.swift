/// What a database of several servers says about itself.
public struct DatabaseFacts: Hashable, Sendable {
  /// Such as `15.14 (Debian 15.14-0+deb12u1)`.
  public var version: String
  /// The first part of it.
  public var majorVersion: Int64
  /// Whether it takes no changes, as a standby.
  public var isReadOnly: Bool
  /// Whether the role may make tables, as each new month needs one.
  public var mayCreateTables: Bool
  /// How many connections it takes of everybody.
  public var largestConnectionCount: Int64
}

extension LedgerReader {
  /// Nil for a ledger in a file.
  public func databaseFacts() throws(LedgerError) -> DatabaseFacts? {
    guard case .postgresql = connection.dialect else { return nil }
    return try connection.prepare(LedgerReader.selectFacts).firstRow { fields throws(LedgerError) in
      let record = "what the database says about itself"
      func integer(_ name: String) throws(LedgerError) -> Int64 {
        try fields.required(name, of: record, fields.integer(name))
      }
      return DatabaseFacts(
        version: try fields.requiredText("version", of: record),
        majorVersion: try integer("number") / 10_000, isReadOnly: try integer("is_read_only") == 1,
        mayCreateTables: try integer("may_create") == 1,
        largestConnectionCount: try integer("connections"))
    }
  }

  private static let selectFacts = """
    SELECT current_setting('server_version') AS version,
      CAST(current_setting('server_version_num') AS BIGINT) AS number,
      CASE WHEN pg_is_in_recovery() THEN 1 ELSE 0 END AS is_read_only,
      CASE WHEN has_schema_privilege(current_schema(), 'CREATE') THEN 1 ELSE 0 END AS may_create,
      CAST(current_setting('max_connections') AS BIGINT) AS connections
    """
}
