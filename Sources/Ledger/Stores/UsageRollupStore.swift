internal import Money
internal import Pricing
internal import Time

/// A line of `usage_daily`: what reports on one client, or by client and key, are made from.
struct DailyUsageKey: RollupKey {
  private let clientID: String
  private let day: CivilDate
  private let dayOfUTC: Int64
  private let keyName: String
  private let agentID: String
  private let provider: String
  private let model: String
  private let operation: Operation
  private let currency: Currency

  static let table = "usage_daily"
  static let columns = [
    ("client_id", "client_id"), ("day", "day"), dayOfUTCColumn, ("key_name", "key_name"),
    ("agent_id", "coalesce(agent_id, '')"), ("source", "source"), ("model", "model"),
    ("operation", "operation"), ("currency", "currency"),
  ].map { (name: $0.0, ofRow: $0.1) }

  init(_ row: UsageRow) {
    clientID = row.clientID
    day = row.day
    dayOfUTC = row.dayOfUTC
    keyName = row.keyName
    agentID = row.agentID ?? ""
    provider = row.provider
    model = row.model
    operation = row.operation
    currency = row.cost.currency
  }

  func write(to parameters: inout ParameterWriter) {
    parameters.write("client_id", clientID)
    parameters.write("day", day.description)
    parameters.write("utc_day", dayOfUTC)
    parameters.write("key_name", keyName)
    parameters.write("agent_id", agentID)
    parameters.write("source", provider)
    parameters.write("model", model)
    parameters.write("operation", operation.rawValue)
    parameters.write("currency", currency.code)
  }
}

/// A line of `usage_daily_users`: what each of a client's users used.
struct DailyUserKey: RollupKey {
  private let clientID: String
  private let day: CivilDate
  private let dayOfUTC: Int64
  private let userID: String
  private let currency: Currency

  static let table = "usage_daily_users"
  static let columns = [
    ("client_id", "client_id"), ("day", "day"), dayOfUTCColumn,
    ("user_id", "coalesce(user_id, '')"), ("currency", "currency"),
  ].map { (name: $0.0, ofRow: $0.1) }

  init(_ row: UsageRow) {
    clientID = row.clientID
    day = row.day
    dayOfUTC = row.dayOfUTC
    userID = row.userID ?? ""
    currency = row.cost.currency
  }

  func write(to parameters: inout ParameterWriter) {
    parameters.write("client_id", clientID)
    parameters.write("day", day.description)
    parameters.write("utc_day", dayOfUTC)
    parameters.write("user_id", userID)
    parameters.write("currency", currency.code)
  }
}

/// A line of `usage_daily_conversations`: what each of a client's conversations used.
struct DailyConversationKey: RollupKey {
  private let clientID: String
  private let day: CivilDate
  private let dayOfUTC: Int64
  private let conversationID: String
  private let currency: Currency

  static let table = "usage_daily_conversations"
  static let columns = [
    ("client_id", "client_id"), ("day", "day"), dayOfUTCColumn,
    ("conversation_id", "coalesce(conversation_id, '')"), ("currency", "currency"),
  ].map { (name: $0.0, ofRow: $0.1) }

  init(_ row: UsageRow) {
    clientID = row.clientID
    day = row.day
    dayOfUTC = row.dayOfUTC
    conversationID = row.conversationID ?? ""
    currency = row.cost.currency
  }

  func write(to parameters: inout ParameterWriter) {
    parameters.write("client_id", clientID)
    parameters.write("day", day.description)
    parameters.write("utc_day", dayOfUTC)
    parameters.write("conversation_id", conversationID)
    parameters.write("currency", currency.code)
  }
}

/// A day of a client's zone has parts of two days of UTC, in which all clients are summed together.
private let dayOfUTCColumn = ("utc_day", "CAST(strftime('%s', created_at) AS INTEGER) / 86400")

extension UsageRow {
  /// Days since 1970, UTC.
  fileprivate var dayOfUTC: Int64 { createdAt.milliseconds / 86_400_000 }
}

/// A line of `usage_hourly`: what reports on all clients are made from, in days of UTC.
struct HourlyUsageKey: RollupKey {
  private let hour: Int64
  private let provider: String
  private let model: String
  private let operation: Operation
  private let currency: Currency

  static let table = "usage_hourly"
  static let columns = [
    ("hour", "CAST(strftime('%s', created_at) AS INTEGER) / 3600"), ("source", "source"),
    ("model", "model"), ("operation", "operation"), ("currency", "currency"),
  ].map { (name: $0.0, ofRow: $0.1) }

  init(_ row: UsageRow) {
    hour = row.createdAt.milliseconds / 3_600_000
    provider = row.provider
    model = row.model
    operation = row.operation
    currency = row.cost.currency
  }

  func write(to parameters: inout ParameterWriter) {
    parameters.write("hour", hour)
    parameters.write("source", provider)
    parameters.write("model", model)
    parameters.write("operation", operation.rawValue)
    parameters.write("currency", currency.code)
  }
}

/// `usage_daily`, `usage_daily_users`, `usage_daily_conversations` and `usage_hourly`.
final class UsageRollupStore {
  private let daily: Rollup<DailyUsageKey>
  private let dailyUsers: Rollup<DailyUserKey>
  private let dailyConversations: Rollup<DailyConversationKey>
  private let hourly: Rollup<HourlyUsageKey>

  init(_ connection: Connection) throws(LedgerError) {
    daily = try Rollup(connection)
    dailyUsers = try Rollup(connection)
    dailyConversations = try Rollup(connection)
    hourly = try Rollup(connection)
  }

  func add(_ row: UsageRow, beginsConversation: Bool) {
    daily.add(row, to: DailyUsageKey(row), beginsConversation: beginsConversation)
    dailyUsers.add(row, to: DailyUserKey(row), beginsConversation: beginsConversation)
    dailyConversations.add(
      row, to: DailyConversationKey(row), beginsConversation: beginsConversation)
    hourly.add(row, to: HourlyUsageKey(row), beginsConversation: beginsConversation)
  }

  /// Writes what was added since the last time.
  func flush() throws(LedgerError) {
    try daily.flush()
    try dailyUsers.flush()
    try dailyConversations.flush()
    try hourly.flush()
  }

  func didRollBack() {
    daily.didRollBack()
    dailyUsers.didRollBack()
    dailyConversations.didRollBack()
    hourly.didRollBack()
  }
}
