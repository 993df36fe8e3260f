/// The SQL of a database, where the two differ.
///
/// Nearly all statements are the same for both. Expressions without a common spelling are spelled
/// here, once.
enum Dialect {
  case sqlite
  case postgresql

  /// The sum of two integers that stops at the largest and at the smallest but one, where SQLite
  /// would leave for a floating number and PostgreSQL would fail.
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

  /// The sum of an integer over rows, as an integer that stops at the largest and the smallest;
  /// NULL over no rows.
  ///
  /// SQLite's `sum` fails if 64 bits aren't enough. So both halves of the integers are summed:
  /// those sums fit for 2³¹ rows. It is plain SQL, because other programs read views.
  ///
  /// - Parameters:
  ///   - value: an expression that fits into 64 bits itself.
  ///   - window: the name of the window that is summed over; nil for a group.
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

  /// A table's columns, each with what an upsert adds to it, as `SET` takes them.
  func additions(to table: String, _ columns: [String]) -> String {
    columns.map { "\($0) = \(saturatingSum("\(table).\($0)", "excluded.\($0)"))" }
      .joined(separator: ", ")
  }

  /// The texts of a JSON array, as a subquery.
  func texts(of array: String) -> String {
    switch self {
    case .sqlite: "(SELECT value FROM json_each(\(array)))"
    case .postgresql: "(SELECT json_array_elements_text(CAST(\(array) AS JSON)))"
    }
  }

  /// The larger of two values; NULL where either is.
  func larger(_ left: String, _ right: String) -> String {
    switch self {
    case .sqlite: "max(\(left), \(right))"
    case .postgresql: "CASE WHEN \(left) >= \(right) THEN \(left) ELSE \(right) END"
    }
  }

  /// Milliseconds since 1970 by the database's own clock.
  var clockMilliseconds: String {
    switch self {
    case .sqlite: "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"
    case .postgresql: "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"
    }
  }

  /// Keeps a row from being deleted until the transaction has ended, and from nothing else.
  var lockingKey: String {
    switch self {
    case .sqlite: ""
    case .postgresql: "FOR KEY SHARE"
    }
  }
}

// Expressions of queries: days and instants, and the columns that find rows.

extension Dialect {
  /// The day of UTC, as text, that an integer of seconds since 1970 lies in.
  func day(ofUnixSeconds seconds: String) -> String {
    switch self {
    case .sqlite: "date(\(seconds), 'unixepoch')"
    case .postgresql: "to_char(to_timestamp(\(seconds)) AT TIME ZONE 'UTC', 'YYYY-MM-DD')"
    }
  }

  /// The Monday, as text, of the week that a day lies in.
  func monday(ofWeekOf day: String) -> String {
    switch self {
    case .sqlite: "date(\(day), 'weekday 0', '-6 days')"
    case .postgresql: "to_char(date_trunc('week', CAST(\(day) AS TIMESTAMP)), 'YYYY-MM-DD')"
    }
  }

  /// The whole seconds from 1970 to an instant's text.
  func unixSeconds(ofInstant instant: String) -> String {
    switch self {
    case .sqlite: "CAST(strftime('%s', \(instant)) AS INTEGER)"
    case .postgresql:
      "CAST(floor(extract(epoch FROM CAST(\(instant) AS TIMESTAMPTZ))) AS BIGINT)"
    }
  }

  /// A table whose rows are found by this index; by what the database chooses where it is nil.
  /// PostgreSQL always chooses: it knows how often values occur.
  func indexed(_ table: String, by index: String?) -> String {
    switch self {
    case .sqlite: index.map { "\(table) INDEXED BY \($0)" } ?? table
    case .postgresql: table
    }
  }

  /// A table that is read as a whole, past its indexes.
  func unindexed(_ table: String) -> String {
    switch self {
    case .sqlite: "\(table) NOT INDEXED"
    case .postgresql: table
    }
  }

  /// The first rows of a table in an order, whole.
  ///
  /// - Parameters:
  ///   - source: the table as its rows are found.
  ///   - filter: its condition, from `WHERE` on.
  ///   - order: from `ORDER BY` on; it ends with `id`.
  func page(
    of table: String, _ source: String, _ filter: String, _ order: String, limit: String
  ) -> String {
    switch self {
    case .sqlite:
      // Where rows have to be sorted, their numbers are, and only the page's are read in full.
      """
      SELECT * FROM \(table) WHERE id IN
        (SELECT id FROM \(source) \(filter) \(order) LIMIT \(limit)) \(order)
      """
    case .postgresql: "SELECT * FROM \(source) \(filter) \(order) LIMIT \(limit)"
    }
  }
}
