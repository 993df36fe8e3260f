internal import Time

/// Reads and writes `detached_months`: the months whose tables were detached from `usage_logs`.
/// Months that an operator has attached again don't count.
struct DetachedMonthStore {
  struct Month {
    let month: UsageMonth
    let table: String
    /// Whether the table is still in the database.
    let isThere: Bool
  }

  private let connection: DatabaseConnection

  init(_ connection: DatabaseConnection) {
    self.connection = connection
  }

  /// Returns the months in order. SQLite has none.
  func all() throws(LedgerError) -> [Month] {
    guard connection.dialect == .postgresql else { return [] }
    return try connection.prepare(DetachedMonthStore.selectAll).rows { fields throws(LedgerError) in
      let text = try fields.requiredText("month", of: "a detached month")
      guard let month = UsageMonth(text) else { throw .unreadable(record: "a detached month") }
      return Month(
        month: month, table: try fields.requiredText("table_name", of: "a detached month"),
        isThere: fields.integer("is_there") == 1)
    }
  }

  /// Records a month, in the transaction that detached its table.
  func insert(_ month: UsageMonth, at now: Timestamp) throws(LedgerError) {
    let insert = try connection.prepare(DetachedMonthStore.insertMonth)
    try insert.run(month.text, month.table, now.rfc3339)
  }

  /// Counts the rows of a month, which no server writes any more. Returns the count; nil if another
  /// server recorded it first.
  func count(_ month: Month) throws(LedgerError) -> Int64? {
    try connection.transaction { () throws(LedgerError) in
      try connection.allowLongStatements()
      let count = try connection.prepare("SELECT count(*) FROM \(month.table)").firstInteger() ?? 0
      let update = try connection.prepare(DetachedMonthStore.updateCount)
      update.bind(count, month.month.text)
      return try update.changedRows() == 1 ? count : nil
    }
  }

  /// Returns the months with a table whose rows weren't counted, because the server that detached
  /// them may have died.
  func uncounted() throws(LedgerError) -> [Month] {
    let texts = try connection.prepare(DetachedMonthStore.selectUncounted).rows { fields in
      fields.text("month") ?? ""
    }
    return try all().filter { $0.isThere && texts.contains($0.month.text) }
  }

  /// Months that were attached again are left out.
  private static let selectAll = """
    SELECT month, table_name,
      CASE WHEN to_regclass(table_name) IS NULL THEN 0 ELSE 1 END AS is_there
    FROM detached_months WHERE NOT EXISTS (SELECT 1 FROM pg_inherits
      WHERE inhparent = to_regclass('usage_logs') AND inhrelid = to_regclass(table_name))
    ORDER BY month
    """
  private static let selectUncounted = "SELECT month FROM detached_months WHERE row_count IS NULL"
  private static let insertMonth = """
    INSERT INTO detached_months (month, table_name, detached_at) VALUES (?, ?, ?)
    ON CONFLICT (month) DO UPDATE SET table_name = excluded.table_name,
      detached_at = excluded.detached_at, row_count = NULL
    """
  private static let updateCount =
    "UPDATE detached_months SET row_count = ? WHERE month = ? AND row_count IS NULL"
}
