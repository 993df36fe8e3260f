internal import Time

/// The request rows that an audit can read: those of `usage_logs`, and of its detached months that
/// are still in the database.
///
/// For a month whose table is gone, and for all earlier months, sums can't be recomputed any more.
struct AuditedRows {
  /// The months whose rows are gone.
  let goneMonths: [UsageMonth]
  /// The text that replaces `usage_logs` in statements; nil if no month was detached.
  private let substitute: String?

  /// Call it first in a snapshot. No month can be detached until the snapshot ends.
  init(_ connection: DatabaseConnection) throws(LedgerError) {
    guard connection.dialect == .postgresql else {
      (goneMonths, substitute) = ([], nil)
      return
    }
    try connection.execute("LOCK TABLE usage_logs IN ACCESS SHARE MODE")
    let months = try DetachedMonthStore(connection).all()
    goneMonths = months.filter { !$0.isThere }.map(\.month)
    let tables = months.filter(\.isThere).map(\.table)
    substitute =
      tables.isEmpty ? nil : try AuditedRows.union(of: tables, connection)
  }

  /// Changes a statement about `usage_logs` so that it reads all of these rows.
  func read(by sql: String) -> String {
    guard let substitute else { return sql }
    let name = "WITH usage_logs AS NOT MATERIALIZED (\(substitute))"
    let with = "WITH "
    return sql.hasPrefix(with) ? "\(name), \(sql.dropFirst(with.count))" : "\(name) \(sql)"
  }

  /// The earliest time from which all rows can be read. As text, it is less than all times if every
  /// row can be read.
  var firstInstant: String { goneMonths.last?.next.text ?? "" }

  /// The first day from which all rows can be read, in every time zone. In some zones, the first
  /// day of a month begins while it is still another month in UTC.
  var firstDay: String { goneMonths.last?.next.firstDay?.adding(days: 1).description ?? "" }

  /// The first hour, counted from 1970, from which all rows can be read.
  var firstHour: Int { (goneMonths.last?.next.firstDay?.daysSinceEpoch ?? 0) * 24 }

  /// Columns that `usage_logs` got after a table was detached are NULL in that table.
  private static func union(
    of tables: [String], _ connection: DatabaseConnection
  ) throws(LedgerError) -> String {
    let columns = try columns(of: "usage_logs", connection)
    var selects = ["SELECT \(columns.joined(separator: ", ")) FROM usage_logs"]
    for table in tables {
      let present = try AuditedRows.columns(of: table, connection)
      let terms = columns.map { present.contains($0) ? $0 : "NULL AS \($0)" }
      selects.append("SELECT \(terms.joined(separator: ", ")) FROM \(table)")
    }
    return selects.joined(separator: " UNION ALL ")
  }

  private static func columns(
    of table: String, _ connection: DatabaseConnection
  ) throws(LedgerError) -> [String] {
    let select = try connection.prepare(
      """
      SELECT CAST(attname AS TEXT) AS name FROM pg_attribute
      WHERE attrelid = to_regclass(?) AND attnum > 0 AND NOT attisdropped ORDER BY attnum
      """)
    select.bind(table)
    return try select.rows { fields in fields.text("name") ?? "" }
  }
}

extension LedgerReader {
  /// Returns the months of usage whose detached rows are gone, for example `2026-11`. An audit
  /// can't verify them, nor sums that began before their end.
  /// - Throws: `LedgerError` if the database can't be read.
  public func goneMonths() throws(LedgerError) -> [String] {
    try connection.snapshot { () throws(LedgerError) in
      try AuditedRows(connection).goneMonths.map(\.text)
    }
  }
}

extension LedgerReader {
  /// Returns SQLite's findings of damage in the file, at most `limit`; empty if the file is intact.
  /// It reads the whole file.
  ///
  /// For PostgreSQL, the result is always empty: a database with checksums verifies its pages
  /// itself and refuses damaged ones.
  /// - Throws: `LedgerError` if the file can't be read.
  public func damage(atMost limit: Int) throws(LedgerError) -> [String] {
    guard case .sqlite = connection.dialect else { return [] }
    let check = try connection.prepare("PRAGMA quick_check(\(limit))")
    var findings: [String] = []
    try check.forEachRow { () throws(LedgerError) in
      if let finding = check.text(0), finding != LedgerReader.whole { findings.append(finding) }
    }
    return findings
  }

  private static let whole = "ok"
}
