/// Whose SQL a statement is written in, where the two differ.
///
/// Nearly all statements are the same for both. What has no common spelling is spelled here, once.
enum Dialect {
  case sqlite
  case postgresql

  /// The sum of two integers that stops at the largest, where SQLite would leave for a floating
  /// number and PostgreSQL would fail.
  func saturatingSum(_ left: String, _ right: String) -> String {
    switch self {
    case .sqlite: "min(9223372036854775807, \(left) + \(right))"
    case .postgresql:
      "CAST(least(9223372036854775807, CAST(\(left) AS NUMERIC) + \(right)) AS BIGINT)"
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
