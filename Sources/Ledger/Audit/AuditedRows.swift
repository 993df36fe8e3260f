internal import Time

/// Which rows of requests an audit can read: those of `usage_logs`, and of its months that were
/// detached and are still in the database.
///
/// Of a month whose table is gone, and of all before it, sums can't be recomputed any more.
struct AuditedRows {
  /// The months whose rows are gone.
  let goneMonths: [UsageMonth]
  /// What stands for `usage_logs` in statements; nil where it is all that there is.
  private let substitute: String?

  /// In a snapshot, before anything is read: no month is detached while it lasts.
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

  /// A statement about `usage_logs`, made to read all of these rows.
  func read(by sql: String) -> String {
    guard let substitute else { return sql }
    let name = "WITH usage_logs AS NOT MATERIALIZED (\(substitute))"
    let with = "WITH "
    return sql.hasPrefix(with) ? "\(name), \(sql.dropFirst(with.count))" : "\(name) \(sql)"
  }

  /// All rows that were admitted at this instant or later can be read; as text, less than all
  /// instants where all can.
  var firstInstant: String { goneMonths.last?.next.text ?? "" }

  /// All rows of this day and later ones can be read, in whatever time zone they were counted:
  /// some have begun the first day of a month when it is still another one in UTC.
  var firstDay: String { goneMonths.last?.next.firstDay?.adding(days: 1).description ?? "" }

  /// The hour, counted from 1970, from which on all rows can be read.
  var firstHour: Int { (goneMonths.last?.next.firstDay?.daysSinceEpoch ?? 0) * 24 }

  /// What `usage_logs` has come to have since a table was detached is NULL in it.
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
    select.bind(table, at: 1)
    return try select.rows { fields in fields.text("name") ?? "" }
  }
}

extension LedgerReader {
  /// The months of usage whose rows were detached and are gone, such as `2026-11`: an audit can't
  /// verify them, nor what was counted since before they ended.
  public func goneMonths() throws(LedgerError) -> [String] {
    try connection.snapshot { () throws(LedgerError) in
      try AuditedRows(connection).goneMonths.map(\.text)
    }
  }
}
