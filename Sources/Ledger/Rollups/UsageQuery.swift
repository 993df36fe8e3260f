public import Time

/// The grouping of sums over `usage_logs`.
public enum UsageGrouping: String, Sendable, Hashable, CaseIterable {
  case client, key, user, conversation, agent, provider, model, operation, outcome, day, week, month
  case usageSource = "usage_source"

  /// The column of the groups; nil for periods.
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

/// The rows to sum, and the grouping of the sums.
public struct UsageQuery: Hashable, Sendable {
  public var grouping: UsageGrouping
  /// The values that columns must equal.
  public var conditions: [UsageColumn: String]
  public var isStream: Bool?
  /// The start of the span of admission times, which is included; nil for no start.
  public var since: Timestamp?
  /// The end of the span of admission times, which isn't included; nil for no end.
  public var until: Timestamp?
  /// The time zone in which days begin: the client's, or UTC for all clients.
  public var zone: TimeZoneRules
  /// The number of groups to return, the most expensive first; nil for all. It doesn't apply to
  /// periods.
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

/// The smallest table that has the sums of a query.
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
    // An index finds the rows of one conversation, and they are few.
    let isOfAll = query.grouping == .conversation && query.conditions[.conversation] == nil
    return isOfAll && query.columns.isSubset(of: [.client, .conversation])
      ? .dailyConversations : .rows
  }
}

extension UsageQuery {
  /// All columns of the query.
  fileprivate var columns: Set<UsageColumn> {
    var columns = Set(conditions.keys)
    if let column = grouping.column { columns.insert(column) }
    return columns
  }

  /// Whether the query is over all clients. Its days are then UTC days; otherwise they are the days
  /// of the client's rows.
  var isOfAllClients: Bool { conditions[.client] == nil }

  /// The days of the span; nil if it is empty, or if a bound lies within a day.
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

/// A month in UTC, which has its own partition of `usage_logs` on PostgreSQL.
struct UsageMonth: Hashable, Comparable {
  /// Months since the year 0.
  private let number: Int

  init(of instant: Timestamp) {
    let day = CivilDate(daysSinceEpoch: Int(instant.milliseconds / 86_400_000))
    number = day.year * 12 + day.month - 1
  }

  private init(number: Int) {
    self.number = number
  }

  /// Parses a month in the form `2026-11`; nil for any other text.
  init?(_ text: String) {
    guard let day = CivilDate("\(text)-01") else { return nil }
    number = day.year * 12 + day.month - 1
  }

  /// Returns the month of a partition; nil for another table, and for a table of late rows.
  init?(table: String) {
    guard table.hasPrefix(UsageMonth.prefix) else { return nil }
    let parts = table.dropFirst(UsageMonth.prefix.count).split(separator: "_")
    guard parts.count == 2 else { return nil }
    self.init("\(parts[0])-\(parts[1])")
  }

  var firstDay: CivilDate? { CivilDate(year: number / 12, month: number % 12 + 1, day: 1) }
  var next: UsageMonth { adding(1) }

  func adding(_ months: Int) -> UsageMonth { UsageMonth(number: number + months) }

  /// The month as text, for example `2026-11`. It is a prefix of the times in the month, and less
  /// than all of them.
  var text: String { String(dayText.prefix(7)) }
  var table: String { "\(UsageMonth.prefix)\(text.prefix(4))_\(text.suffix(2))" }
  /// The table for rows that come after the month was detached.
  var lateTable: String { "\(table)_late" }

  private static let prefix = "usage_logs_"
  private var dayText: String { firstDay?.description ?? "" }

  static func < (left: UsageMonth, right: UsageMonth) -> Bool { left.number < right.number }
}
