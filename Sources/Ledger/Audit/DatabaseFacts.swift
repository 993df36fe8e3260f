/// The version and settings that a PostgreSQL database reports.
public struct DatabaseFacts: Hashable, Sendable {
  /// The version, for example `15.14 (Debian 15.14-0+deb12u1)`.
  public var version: String
  /// The version's first number.
  public var majorVersion: Int64
  /// Whether the database accepts no changes, because it is a standby.
  public var isReadOnly: Bool
  /// Whether the role may create tables. Each new month needs one.
  public var mayCreateTables: Bool
  /// The most connections of all users together.
  public var largestConnectionCount: Int64
}

extension LedgerReader {
  /// Returns nil for a ledger in a file.
  /// - Throws: `LedgerError` if the database can't be read.
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
