// What reads the ledger: days and instants, and by what rows are found.

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
