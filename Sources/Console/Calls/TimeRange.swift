internal import Configuration
internal import Ledger
internal import Time

/// The time range of a query: `from` and `to`, or `days`, or `since`.
struct TimeRange {
  let from: Timestamp?
  let to: Timestamp?

  static let parameters = [
    QueryParameter("from", "from this instant, RFC 3339 or a date", .moment),
    QueryParameter("to", "until before this instant", .moment),
    QueryParameter(
      "days", "instead of from: the last days, today included, 1 to 366", .integer(1...366)),
    QueryParameter("since", "instead of from: a span before now, such as 30m, 6h or 7d"),
  ]

  /// - Parameter zone: The time zone of the days.
  init(_ query: Query, zone: TimeZoneRules, at now: Timestamp) throws(APIError) {
    let days = try query.integer("days", in: 1...366)
    let since = try query.text("since")
    let from = try query.moment("from", in: zone)
    to = try query.moment("to", in: zone)
    if days != nil || since != nil, from != nil || to != nil {
      throw .invalidValue(
        days == nil ? "since" : "days", allowed: "one of from and to, days, or since")
    }
    if let days {
      guard since == nil else {
        throw .invalidValue("since", allowed: "no value together with days")
      }
      let first = zone.civilDate(of: now).adding(days: 1 - Int(days))
      self.from = zone.startOfDay(first)
    } else if let since {
      guard let lookback = TimeRange.lookback(since) else {
        throw .invalidValue("since", allowed: "a time with its unit, such as 30m, 6h or 7d")
      }
      self.from = now.advanced(by: .seconds(-lookback))
    } else {
      self.from = from
    }
  }

  private static let longestSeconds: Int64 = 366 * 86_400

  private static func lookback(_ text: String) -> Int64? {
    let units: [Character: Int64] = ["m": 60, "h": 3600, "d": 86_400]
    guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()),
      count > 0, count <= longestSeconds / unit
    else { return nil }
    return count * unit
  }
}

/// Conditions of a query on the rows of `usage_logs`. A row must meet all of them.
struct UsageFilters {
  let conditions: [UsageColumn: String]
  let isStream: Bool?

  static let parameters =
    (columns.map(\.name) + ["stream"]).map { QueryParameter($0, "only entries with this one") }

  private static let columns: [(name: String, column: UsageColumn)] = [
    ("client", .client), ("key", .key), ("user", .user), ("conversation", .conversation),
    ("agent", .agent), ("provider", .provider), ("model", .model), ("operation", .operation),
    ("outcome", .outcome), ("usage_source", .usageSource),
  ]

  init(_ query: Query) throws(APIError) {
    conditions = try query.conditions(UsageFilters.columns)
    isStream = try query.boolean("stream")
  }
}

extension Query {
  /// The conditions of the given parameters, by column.
  func conditions<Column: Hashable>(
    _ columns: [(name: String, column: Column)]
  ) throws(APIError) -> [Column: String] {
    var conditions: [Column: String] = [:]
    for (name, column) in columns {
      if let text = try text(name) { conditions[column] = text }
    }
    return conditions
  }
}
