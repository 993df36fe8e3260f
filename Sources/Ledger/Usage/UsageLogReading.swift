internal import Time

// Reads pages of `usage_logs`.
//
// If an index has the filtered column, the database finds the rows by it. Otherwise rows are read
// backward from the newest, which takes long if matches are rare. Only the hours or days in which a
// rollup has matches are read then.

extension LedgerReader {
  /// Returns rows of `usage_logs`, newest first.
  /// - Throws: `LedgerError` if the database can't be read, or a row can't be understood.
  public func usageLog(
    where conditions: [UsageColumn: String], isStream: Bool? = nil, _ range: LogRange
  ) throws(LedgerError) -> [LogEntry<UsageRow>] {
    let hasKeyIndex = connection.dialect == .postgresql
    guard let rollup = RollupOfRows(for: conditions, in: range, hasKeyIndex: hasKeyIndex) else {
      return try usageRows(where: conditions, isStream, range)
    }
    let select = try connection.prepare(rollup.selectSteps)
    rollup.bind(to: select)
    defer { select.reset() }
    var entries: [LogEntry<UsageRow>] = []
    while entries.count < range.limit, try select.step(), let step = select.integer(0) {
      var part = rollup.part(of: range, step)
      part.limit = range.limit - entries.count
      entries += try usageRows(where: conditions, isStream, part)
    }
    return entries
  }

  private func usageRows(
    where conditions: [UsageColumn: String], _ isStream: Bool?, _ range: LogRange
  ) throws(LedgerError) -> [LogEntry<UsageRow>] {
    let texts = conditions.map { ($0.key.rawValue, $0.value) }
    let unusual = conditions.compactMap { $0.key.isUnusual(as: $0.value) }
    let index =
      conditions.isEmpty && isStream == true
      ? .stream : UsageLogIndex.known(for: Set(conditions.keys), isUnusual: !unusual.isEmpty)
    // These are constants, because the index contains only rows of one kind.
    let kind = isStream.map { [$0 ? "stream = 1" : "stream = 0"] } ?? []
    return try entries(
      of: "usage_logs", texts, range, .byInstant, besides: unusual + kind, by: index?.rawValue
    ) { fields throws(LedgerError) in try UsageRow(from: fields) }
  }
}

/// The indexes that SQLite doesn't choose by itself, because it can't know the number of rows for a
/// value. PostgreSQL knows that number.
private enum UsageLogIndex: String {
  case client = "usage_logs_client_id_created_at"
  case user = "usage_logs_user_id"
  case conversation = "usage_logs_conversation_id"
  /// Contains only streams.
  case stream = "usage_logs_stream"

  /// Returns the best index for these columns whatever their values; nil if the database chooses.
  static func known(for columns: Set<UsageColumn>, isUnusual: Bool) -> UsageLogIndex? {
    if columns.contains(.conversation) { return .conversation }
    if columns.contains(.user) { return .user }
    return columns.contains(.client) && !isUnusual ? .client : nil
  }
}

extension UsageColumn {
  /// Returns a condition that enables a partial index without the usual rows; nil if there is none.
  fileprivate func isUnusual(as value: String) -> String? {
    switch self {
    case .outcome where value != Outcome.ok.rawValue: "outcome <> 'ok'"
    case .usageSource where value != UsageSource.reported.rawValue: "usage_source <> 'reported'"
    default: nil
    }
  }
}

/// A rollup that shows when matching rows were made, for filters without an index.
private struct RollupOfRows {
  private let table: String
  private let column: String
  /// The time span of a rollup line.
  private let stepMilliseconds: Int64
  private let conditions: [(column: String, value: String)]
  private let steps: ClosedRange<Int64>

  /// Returns nil if an index finds the rows, or if no rollup has the columns.
  init?(for all: [UsageColumn: String], in range: LogRange, hasKeyIndex: Bool) {
    let known = all.filter { RollupOfRows.known.contains($0.key) }
    let isAgentAlone = all[.agent] != nil && all[.client] == nil
    guard all[.user] == nil, all[.conversation] == nil, !isAgentAlone,
      known.keys.contains(where: { $0 != .client }),
      !(hasKeyIndex && Set(known.keys) == [.key])
    else { return nil }
    let isHourly = Set(known.keys).isSubset(of: [.provider, .model, .operation])
    table = isHourly ? "usage_hourly" : "usage_daily"
    column = isHourly ? "hour" : "utc_day"
    stepMilliseconds = isHourly ? 3_600_000 : 86_400_000
    conditions = known.map { ($0.key.rawValue, $0.value) }
    let first = (range.since?.milliseconds ?? 0) / stepMilliseconds
    let ends = [range.until, range.cursor?.createdAt].compactMap { $0?.milliseconds }
    let last = (ends.min() ?? .max) / stepMilliseconds
    guard first <= last else { return nil }
    steps = first...last
  }

  private static let known: Set<UsageColumn> = [
    .client, .key, .agent, .provider, .model, .operation,
  ]

  /// Selects the hours or days with matching rows, newest first.
  var selectSteps: String {
    var sql = "SELECT DISTINCT \(column) FROM \(table) WHERE \(column) BETWEEN ?1 AND ?2"
    for (index, condition) in conditions.enumerated() {
      sql += " AND \(condition.column) = ?\(index + 3)"
    }
    return sql + " ORDER BY \(column) DESC"
  }

  func bind(to select: Statement) {
    select.bind(steps.lowerBound, at: 1)
    select.bind(steps.upperBound, at: 2)
    for (index, condition) in conditions.enumerated() {
      select.bind(condition.value, at: Int32(index + 3))
    }
  }

  /// Returns the part of a range that lies in an hour or day.
  func part(of range: LogRange, _ step: Int64) -> LogRange {
    var part = range
    let start = Timestamp(milliseconds: step * stepMilliseconds)
    let end = start.advanced(by: .milliseconds(stepMilliseconds))
    part.since = max(range.since ?? start, start)
    part.until = min(range.until ?? end, end)
    return part
  }
}
