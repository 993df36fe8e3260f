public import Time

/// What rows of `usage_logs` are summed by.
public enum UsageGrouping: String, Sendable, Hashable, CaseIterable {
  case client, key, user, conversation, agent, provider, model, operation, outcome, day, week, month
  case usageSource = "usage_source"

  /// The column that groups share; nil for periods.
  var column: UsageColumn? {
    switch self {
    case .client: .client
    case .key: .key
    case .user: .user
    case .conversation: .conversation
    case .agent: .agent
    case .provider: .provider
    case .model: .model
    case .operation: .operation
    case .outcome: .outcome
    case .usageSource: .usageSource
    case .day, .week, .month: nil
    }
  }

  public var isPeriod: Bool { column == nil }
}

/// Which rows are summed, and by what.
public struct UsageQuery: Hashable, Sendable {
  public var grouping: UsageGrouping
  /// What columns must be equal to.
  public var conditions: [UsageColumn: String]
  public var isStream: Bool?
  /// Admitted at this instant or later.
  public var since: Timestamp?
  /// Admitted before this instant.
  public var until: Timestamp?
  /// Where days begin: the zone of the client that is meant, UTC for all clients.
  public var zone: TimeZoneRules
  /// So many groups alone, the dearest; nil for all. Not for periods.
  public var most: Int?

  public init(
    by grouping: UsageGrouping, where conditions: [UsageColumn: String] = [:],
    isStream: Bool? = nil, since: Timestamp? = nil, until: Timestamp? = nil,
    zone: TimeZoneRules = .utc, most: Int? = nil
  ) {
    self.grouping = grouping
    self.conditions = conditions
    self.isStream = isStream
    self.since = since
    self.until = until
    self.zone = zone
    self.most = most
  }
}

/// Where the sums of a query are read from: the smallest table that has them.
enum UsageTable: String {
  case rows = "usage_logs"
  case daily = "usage_daily"
  case dailyUsers = "usage_daily_users"
  case dailyConversations = "usage_daily_conversations"
  case hourly = "usage_hourly"

  init(for query: UsageQuery) {
    let columns = query.columns
    if query.isStream != nil || query.wholeDays == nil {
      self = .rows
    } else if query.isOfAllClients, columns.isSubset(of: [.provider, .model, .operation]) {
      self = .hourly
    } else if columns.isSubset(of: [.client, .key, .agent, .provider, .model, .operation]) {
      self = .daily
    } else {
      self = UsageTable.ofUsersOrConversations(query)
    }
  }

  private static func ofUsersOrConversations(_ query: UsageQuery) -> UsageTable {
    if query.columns.isSubset(of: [.client, .user]) { return .dailyUsers }
    // The rows of one conversation are found by an index, and are few.
    let isOfAll = query.grouping == .conversation && query.conditions[.conversation] == nil
    return isOfAll && query.columns.isSubset(of: [.client, .conversation])
      ? .dailyConversations : .rows
  }
}

extension UsageQuery {
  /// All that the query asks about.
  fileprivate var columns: Set<UsageColumn> {
    var columns = Set(conditions.keys)
    if let column = grouping.column { columns.insert(column) }
    return columns
  }

  /// Days are then those of UTC, and else those that the client's rows were counted on.
  var isOfAllClients: Bool { conditions[.client] == nil }

  /// The days that the span consists of; nil where it is empty, or a bound lies within a day.
  var wholeDays: ClosedRange<CivilDate>? {
    let first = since.map(zone.civilDate) ?? .first
    let next = until.map(zone.civilDate)
    guard since.map({ zone.startOfDay(first) == $0 }) ?? true,
      zip([until], [next]).allSatisfy({ bound, day in day.map(zone.startOfDay) == bound })
    else { return nil }
    let last = next?.adding(days: -1) ?? .last
    return first <= last ? first...last : nil
  }
}
