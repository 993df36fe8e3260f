internal import Money
internal import Pricing
internal import Time

/// A line of `usage_daily`, for reports on one client, and for reports by client and key.
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
  static func columns(_ dialect: Dialect) -> [(name: String, ofRow: String)] {
    [
      ("client_id", "client_id"), ("day", "day"), dayOfUTCColumn(dialect),
      ("key_name", "key_name"), ("agent_id", "coalesce(agent_id, '')"), ("source", "source"),
      ("model", "model"), ("operation", "operation"), ("currency", "currency"),
    ]
  }

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

  static func < (left: DailyUsageKey, right: DailyUsageKey) -> Bool {
    let former = (left.clientID, left.day, left.dayOfUTC, left.keyName, left.agentID)
    let latter = (right.clientID, right.day, right.dayOfUTC, right.keyName, right.agentID)
    guard former == latter else { return former < latter }
    return (left.provider, left.model, left.operation.rawValue, left.currency)
      < (right.provider, right.model, right.operation.rawValue, right.currency)
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

/// The value by which a rollup divides a client's day.
protocol DailyPart {
  static var table: String { get }
  /// The column in `usage_logs` and in the rollup. In the rollup, an empty text means none.
  static var column: StaticString { get }

  static func value(of row: UsageRow) -> String?
}

enum UserPart: DailyPart {
  static let table = "usage_daily_users"
  static let column: StaticString = "user_id"

  static func value(of row: UsageRow) -> String? { row.userID }
}

enum ConversationPart: DailyPart {
  static let table = "usage_daily_conversations"
  static let column: StaticString = "conversation_id"

  static func value(of row: UsageRow) -> String? { row.conversationID }
}

/// A line of a rollup with the use of one part of a client's day.
struct DailyPartKey<Part: DailyPart>: RollupKey {
  private let clientID: String
  private let day: CivilDate
  private let dayOfUTC: Int64
  private let part: String
  private let currency: Currency

  static var table: String { Part.table }
  static func columns(_ dialect: Dialect) -> [(name: String, ofRow: String)] {
    [
      ("client_id", "client_id"), ("day", "day"), dayOfUTCColumn(dialect),
      ("\(Part.column)", "coalesce(\(Part.column), '')"), ("currency", "currency"),
    ]
  }

  init(_ row: UsageRow) {
    clientID = row.clientID
    day = row.day
    dayOfUTC = row.dayOfUTC
    part = Part.value(of: row) ?? ""
    currency = row.cost.currency
  }

  static func < (left: DailyPartKey, right: DailyPartKey) -> Bool {
    (left.clientID, left.day, left.dayOfUTC, left.part, left.currency)
      < (right.clientID, right.day, right.dayOfUTC, right.part, right.currency)
  }

  func write(to parameters: inout ParameterWriter) {
    parameters.write("client_id", clientID)
    parameters.write("day", day.description)
    parameters.write("utc_day", dayOfUTC)
    parameters.write(Part.column, part)
    parameters.write("currency", currency.code)
  }
}

typealias DailyUserKey = DailyPartKey<UserPart>
typealias DailyConversationKey = DailyPartKey<ConversationPart>

/// A day in a client's zone overlaps two UTC days, by which sums over all clients are made.
private func dayOfUTCColumn(_ dialect: Dialect) -> (name: String, ofRow: String) {
  ("utc_day", "\(dialect.unixSeconds(ofInstant: "created_at")) / 86400")
}

extension UsageRow {
  /// Days since 1970, UTC.
  fileprivate var dayOfUTC: Int64 { createdAt.milliseconds / 86_400_000 }
}

/// A line of `usage_hourly`, for reports on all clients in UTC days.
struct HourlyUsageKey: RollupKey {
  private let hour: Int64
  private let provider: String
  private let model: String
  private let operation: Operation
  private let currency: Currency

  static let table = "usage_hourly"
  static func columns(_ dialect: Dialect) -> [(name: String, ofRow: String)] {
    [
      ("hour", "\(dialect.unixSeconds(ofInstant: "created_at")) / 3600"), ("source", "source"),
      ("model", "model"), ("operation", "operation"), ("currency", "currency"),
    ]
  }

  init(_ row: UsageRow) {
    hour = row.createdAt.milliseconds / 3_600_000
    provider = row.provider
    model = row.model
    operation = row.operation
    currency = row.cost.currency
  }

  static func < (left: HourlyUsageKey, right: HourlyUsageKey) -> Bool {
    (left.hour, left.provider, left.model, left.operation.rawValue, left.currency)
      < (right.hour, right.provider, right.model, right.operation.rawValue, right.currency)
  }

  func write(to parameters: inout ParameterWriter) {
    parameters.write("hour", hour)
    parameters.write("source", provider)
    parameters.write("model", model)
    parameters.write("operation", operation.rawValue)
    parameters.write("currency", currency.code)
  }
}

/// Writes `usage_daily`, `usage_daily_users`, `usage_daily_conversations` and `usage_hourly`.
final class UsageRollupStore {
  private let daily: Rollup<DailyUsageKey>
  private let dailyUsers: Rollup<DailyUserKey>
  private let dailyConversations: Rollup<DailyConversationKey>
  private let hourly: Rollup<HourlyUsageKey>

  init(_ connection: DatabaseConnection) throws(LedgerError) {
    daily = try Rollup(connection)
    dailyUsers = try Rollup(connection)
    dailyConversations = try Rollup(connection)
    hourly = try Rollup(connection)
  }

  func add(_ row: UsageRow, beginsConversation: Bool, _ sign: RowSign = .added) {
    let begins = beginsConversation
    daily.add(row, to: DailyUsageKey(row), beginsConversation: begins, sign)
    dailyUsers.add(row, to: DailyUserKey(row), beginsConversation: begins, sign)
    dailyConversations.add(row, to: DailyConversationKey(row), beginsConversation: begins, sign)
    hourly.add(row, to: HourlyUsageKey(row), beginsConversation: begins, sign)
  }

  /// Writes the sums since the last call.
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
