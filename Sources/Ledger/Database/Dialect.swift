/// The kind of a database, and the SQL expressions in which the two kinds differ.
///
/// Nearly all statements are the same for both kinds. Each expression without a common spelling is
/// written once, here.
enum Dialect {
  case sqlite
  case postgresql

  /// Returns the sum of two integers, limited to -(2⁶³ - 1)…2⁶³ - 1. Beyond that range, SQLite's
  /// own sum would be a floating-point number, and PostgreSQL's would fail.
  func saturatingSum(_ left: String, _ right: String) -> String {
    switch self {
    case .sqlite:
      "max(-9223372036854775807, min(9223372036854775807, \(left) + \(right)))"
    case .postgresql:
      """
      CAST(greatest(-9223372036854775807,
        least(9223372036854775807, CAST(\(left) AS NUMERIC) + \(right))) AS BIGINT)
      """
    }
  }

  /// Returns the sum of an integer over rows, limited to 64 bits; NULL over no rows.
  ///
  /// SQLite's `sum` fails if 64 bits aren't enough. Therefore both halves of the integers are
  /// summed; these sums fit for 2³¹ rows. The expression is plain SQL, because other programs read
  /// the views.
  ///
  /// - Parameters:
  ///   - value: An expression that fits into 64 bits.
  ///   - window: The name of the window of the sum; nil for a group.
  func total(_ value: String, over window: String? = nil) -> String {
    let over = window.map { " OVER \($0)" } ?? ""
    switch self {
    case .sqlite:
      let low = "sum((\(value)) & 4294967295)\(over)"
      let high = "(sum((\(value)) >> 32)\(over) + (\(low) >> 32))"
      return """
        (CASE WHEN \(high) > 2147483647 THEN 9223372036854775807
          WHEN \(high) < -2147483648 THEN -9223372036854775807 - 1
          ELSE (\(high) << 32) | (\(low) & 4294967295) END)
        """
    case .postgresql:
      let sum = "sum(\(value))\(over)"
      return """
        CAST(CASE WHEN \(sum) > 9223372036854775807 THEN 9223372036854775807
          WHEN \(sum) < -9223372036854775808 THEN -9223372036854775808
          ELSE \(sum) END AS BIGINT)
        """
    }
  }

  /// Returns assignments for `SET` that add an upsert's values to a table's columns.
  func additions(to table: String, _ columns: [String]) -> String {
    columns.map { "\($0) = \(saturatingSum("\(table).\($0)", "excluded.\($0)"))" }
      .joined(separator: ", ")
  }

  /// Returns a subquery for the texts of a JSON array.
  func texts(of array: String) -> String {
    switch self {
    case .sqlite: "(SELECT value FROM json_each(\(array)))"
    case .postgresql: "(SELECT json_array_elements_text(CAST(\(array) AS JSON)))"
    }
  }

  /// Returns the larger of two values; NULL if either is NULL.
  func larger(_ left: String, _ right: String) -> String {
    switch self {
    case .sqlite: "max(\(left), \(right))"
    case .postgresql: "CASE WHEN \(left) >= \(right) THEN \(left) ELSE \(right) END"
    }
  }

  /// The milliseconds since 1970, by the database's own clock.
  var clockMilliseconds: String {
    switch self {
    case .sqlite: "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"
    case .postgresql: "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"
    }
  }

  /// A clause that keeps a row from being deleted until the transaction ends. Updates are possible.
  var lockingKey: String {
    switch self {
    case .sqlite: ""
    case .postgresql: "FOR KEY SHARE"
    }
  }
}

// Expressions of queries: days and times, and the indexes that find rows.

extension Dialect {
  /// Returns the day in UTC, as text, of a number of seconds since 1970.
  func day(ofUnixSeconds seconds: String) -> String {
    switch self {
    case .sqlite: "date(\(seconds), 'unixepoch')"
    case .postgresql: "to_char(to_timestamp(\(seconds)) AT TIME ZONE 'UTC', 'YYYY-MM-DD')"
    }
  }

  /// Returns the Monday, as text, of a day's week.
  func monday(ofWeekOf day: String) -> String {
    switch self {
    case .sqlite: "date(\(day), 'weekday 0', '-6 days')"
    case .postgresql: "to_char(date_trunc('week', CAST(\(day) AS TIMESTAMP)), 'YYYY-MM-DD')"
    }
  }

  /// Returns the whole seconds since 1970 of a time's text.
  func unixSeconds(ofInstant instant: String) -> String {
    switch self {
    case .sqlite: "CAST(strftime('%s', \(instant)) AS INTEGER)"
    case .postgresql:
      "CAST(floor(extract(epoch FROM CAST(\(instant) AS TIMESTAMPTZ))) AS BIGINT)"
    }
  }

  /// Returns a table whose rows are found by an index; with nil, the database chooses the index.
  /// PostgreSQL always chooses, because it knows the frequency of values.
  func indexed(_ table: String, by index: String?) -> String {
    switch self {
    case .sqlite: index.map { "\(table) INDEXED BY \($0)" } ?? table
    case .postgresql: table
    }
  }

  /// Returns a table that is read as a whole, without its indexes.
  func unindexed(_ table: String) -> String {
    switch self {
    case .sqlite: "\(table) NOT INDEXED"
    case .postgresql: table
    }
  }

  /// Returns a query for the first rows of a table in an order, with all columns.
  ///
  /// - Parameters:
  ///   - source: The table, for example as `indexed(_:by:)` returns it.
  ///   - filter: The condition, beginning with `WHERE`.
  ///   - order: The order, beginning with `ORDER BY`. It ends with `id`.
  func page(
    of table: String, _ source: String, _ filter: String, _ order: String, limit: String
  ) -> String {
    switch self {
    case .sqlite:
      // If rows must be sorted, only their numbers are sorted, and only the page's rows are read in
      // full.
      """
      SELECT * FROM \(table) WHERE id IN
        (SELECT id FROM \(source) \(filter) \(order) LIMIT \(limit)) \(order)
      """
    case .postgresql: "SELECT * FROM \(source) \(filter) \(order) LIMIT \(limit)"
    }
  }
}
