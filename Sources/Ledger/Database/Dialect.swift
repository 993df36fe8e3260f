/// Whose SQL a statement is written in, where the two differ.
///
/// Nearly all statements are the same for both. What has no common spelling is spelled here, once.
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
