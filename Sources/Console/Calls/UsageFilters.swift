internal import Ledger

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
