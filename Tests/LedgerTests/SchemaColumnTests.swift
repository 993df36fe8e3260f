import Testing

@testable import Ledger

@Suite("The tables and views of both kinds of database", .ofPostgreSQL) struct SchemaColumnTests {
  /// A column as other programs see it.
  private struct Column: Hashable, CustomStringConvertible {
    var table: String
    var name: String
    /// Counts from 1.
    var place: Int64
    /// `integer` or `text`; nil for a column of a view, since SQLite knows no types there.
    var kind: String?
    var mayBeNull: Bool
    var isGenerated: Bool
    var hasDefault: Bool

    var description: String {
      let kind = [kind ?? "", mayBeNull ? "" : " NOT NULL", isGenerated ? " GENERATED" : ""]
      return "\(table).\(name)@\(place) \(kind.joined())\(hasDefault ? " DEFAULT" : "")"
    }
  }

  @Test("They have the same columns in the same order, of the same kind and nullability")
  func columns() throws {
    let (file, database) = (TemporaryFolder(ofFile: ()), TemporaryFolder())
    for folder in [file, database] { _ = try ServerLedger.migrate(at: folder.location) }
    let expected = try columns(in: file, SchemaColumnTests.selectFromSQLite)
    let found = try columns(in: database, SchemaColumnTests.selectFromPostgreSQL)
    #expect(expected.count > 400)
    #expect(found.subtracting(expected) == [])
    #expect(expected.subtracting(found) == [])
  }

  @Test("They have the same indexes but those of requests")
  func indexes() throws {
    let (file, database) = (TemporaryFolder(ofFile: ()), TemporaryFolder())
    for folder in [file, database] { _ = try ServerLedger.migrate(at: folder.location) }
    let expected = try names(in: file, SchemaColumnTests.selectIndexesFromSQLite)
    let found = try names(in: database, SchemaColumnTests.selectIndexesFromPostgreSQL)
    #expect(expected.subtracting(found) == [])
    #expect(found.subtracting(expected) == ["in_flight_replica_id", "usage_logs_key_name"])
  }

  private func columns(in folder: TemporaryFolder, _ sql: String) throws -> Set<Column> {
    let rows = try folder.connection().prepare(sql).rows { fields throws(LedgerError) in
      Column(
        table: try fields.requiredText("table_name", of: "a column"),
        name: try fields.requiredText("name", of: "a column"), place: fields.integer("place") ?? 0,
        kind: fields.text("kind"), mayBeNull: fields.integer("may_be_null") == 1,
        isGenerated: fields.integer("is_generated") == 1,
        hasDefault: fields.integer("has_default") == 1)
    }
    return Set(rows)
  }

  private func names(in folder: TemporaryFolder, _ sql: String) throws -> Set<String?> {
    Set(try folder.connection().prepare(sql).rows { $0.text("name") })
  }

  private static let selectFromSQLite = """
    SELECT t.name AS table_name, c.name AS name, c.cid + 1 AS place,
      CASE WHEN t.type = 'table' THEN lower(c.type) END AS kind,
      c."notnull" = 0 AND c.pk = 0 AS may_be_null, c.hidden > 0 AS is_generated,
      c.dflt_value IS NOT NULL AS has_default
    FROM sqlite_schema AS t JOIN pragma_table_xinfo(t.name) AS c
    WHERE t.type IN ('table', 'view')
    """
  private static let selectFromPostgreSQL = """
    SELECT c.table_name AS table_name, c.column_name AS name, c.ordinal_position AS place,
      CASE WHEN t.table_type = 'BASE TABLE'
        THEN CASE c.data_type WHEN 'bigint' THEN 'integer' ELSE c.data_type END END AS kind,
      CASE c.is_nullable WHEN 'YES' THEN 1 ELSE 0 END AS may_be_null,
      CASE c.is_generated WHEN 'ALWAYS' THEN 1 ELSE 0 END AS is_generated,
      CASE WHEN c.column_default IS NULL THEN 0 ELSE 1 END AS has_default
    FROM information_schema.columns AS c JOIN information_schema.tables AS t
      ON (t.table_schema, t.table_name) = (c.table_schema, c.table_name)
    WHERE c.table_schema = 'public' AND c.table_name NOT LIKE 'usage\\_logs\\_%'
    """
  private static let selectIndexesFromSQLite = """
    SELECT name FROM sqlite_schema WHERE type = 'index' AND name NOT LIKE 'sqlite%'
    """
  private static let selectIndexesFromPostgreSQL = """
    SELECT indexname AS name FROM pg_indexes
    WHERE schemaname = 'public' AND indexname NOT LIKE '%\\_pkey' AND indexname NOT LIKE '%\\_key'
    """
}
