public import Money
public import Time

/// The sum of the rows of one group in one currency.
public struct UsageTotal: Hashable, Sendable {
  /// What the rows have in common, such as `gpt-4o-mini` for a model, or the Monday that a week
  /// begins with; nil for rows without it, such as those without a user.
  public var key: String?
  public var requests: Int64
  public var inputTokens: Int64
  public var outputTokens: Int64
  /// Conversations that had their first row of a calendar month among these.
  public var conversations: Int64
  /// What clients were charged.
  public var costNanoUSD: Int64
  /// What providers charge.
  public var providerCostNanoUSD: Int64
  /// In the billing currency of the rows; a group with two of them makes two sums.
  public var cost: Money

  public var totalTokens: Int64 { inputTokens.addingSaturated(outputTokens) }
}

extension LedgerReader {
  /// The sums of each group, in the order of their keys.
  ///
  /// Of rollups where they have what is asked for, else of all rows of the span. Days of one client
  /// are those that its rows were counted on.
  public func usageTotals(of query: UsageQuery) throws(LedgerError) -> [UsageTotal] {
    let select = try UsageSelect(query, connection.dialect).prepare(connection)
    var totals: [UsageTotal] = []
    try select.forEachRow { () throws(LedgerError) in
      guard let currency = select.text(1).flatMap({ Currency($0) }) else {
        throw .unreadable(record: "the currency of a usage row")
      }
      func sum(_ place: Int) -> Int64 { select.integer(Int32(place) + 2) ?? 0 }
      totals.append(
        UsageTotal(
          key: select.text(0), requests: sum(0), inputTokens: sum(1), outputTokens: sum(2),
          conversations: sum(3), costNanoUSD: sum(4),
          providerCostNanoUSD: max(0, sum(4).addingSaturated(sum(6))),
          cost: Money(nanoUnits: sum(5), currency: currency)))
    }
    return totals
  }

  /// How many requests budgets refused, by the same groups. A refusal has no provider, agent,
  /// conversation or outcome: it is in no group of such a condition, and without such a key.
  public func denialCounts(of query: UsageQuery) throws(LedgerError) -> [String?: Int64] {
    var conditions: [(String, String)] = []
    for (column, value) in query.conditions {
      guard let column = column.ofDenials else { return [:] }
      conditions.append((column.rawValue, value))
    }
    guard query.isStream == nil else { return [:] }
    let key = query.grouping.isPeriod ? "created_at" : query.denialKey
    var sql = """
      SELECT \(key), count(*) FROM denials WHERE created_at >= ?1 AND created_at < ?2
      """
    for (index, condition) in conditions.enumerated() {
      sql += " AND \(condition.0) = ?\(index + 3)"
    }
    let select = try connection.prepare(sql + " GROUP BY 1")
    select.bindSpan(query.since, query.until)
    for (index, condition) in conditions.enumerated() {
      select.bind(condition.1, at: Int32(index + 3))
    }
    var counts: [String?: Int64] = [:]
    try select.forEachRow { () throws(LedgerError) in
      var key = select.text(0)
      if query.grouping.isPeriod {
        key = key.flatMap { Timestamp(rfc3339: $0) }
          .flatMap { query.grouping.period(of: query.zone.civilDate(of: $0)) }
      }
      counts[key, default: 0] += select.integer(1) ?? 0
    }
    return counts
  }
}

/// The statement that a query becomes.
private struct UsageSelect {
  private let query: UsageQuery
  private let dialect: Dialect
  private let table: UsageTable

  init(_ query: UsageQuery, _ dialect: Dialect) {
    self.query = query
    self.dialect = dialect
    table = UsageTable(for: query)
  }

  func prepare(_ connection: DatabaseConnection) throws(LedgerError) -> Statement {
    let conditions = query.conditions.map { ($0.key.rawValue, $0.value) }
    let streamPlace = conditions.count + 3
    let mostPlace = query.isStream == nil ? streamPlace : streamPlace + 1
    var source = "FROM \(table.rawValue) WHERE \(span)"
    for (index, condition) in conditions.enumerated() {
      source += " AND \(condition.0) = ?\(index + 3)"
    }
    if query.isStream != nil { source += " AND stream = ?\(streamPlace)" }
    var sql = "SELECT \(key), currency, \(sums) \(source)"
    if query.most != nil, let group {
      // The groups are found by their cost alone, and the other sums made of the few that remain:
      // of a client with many conversations, that is a quarter of the work.
      sql += """
         AND \(group) IN
          (SELECT \(group) \(source) GROUP BY 1 ORDER BY \(dearestFirst) LIMIT ?\(mostPlace))
        """
    }
    let select = try connection.prepare(sql + " GROUP BY 1, 2 ORDER BY 1 NULLS FIRST, 2")
    bindSpan(to: select)
    for (index, condition) in conditions.enumerated() {
      select.bind(condition.1, at: Int32(index + 3))
    }
    if let isStream = query.isStream { select.bind(isStream ? 1 : 0, at: Int32(streamPlace)) }
    if let most = query.most, group != nil { select.bind(Int64(most), at: Int32(mostPlace)) }
    return select
  }

  /// What groups are told apart by, never NULL; nil for periods.
  private var group: String? {
    guard let column = query.grouping.column?.rawValue else { return nil }
    if query.grouping == .key, query.isOfAllClients { return key }
    return table == .rows ? "coalesce(\(column), '')" : column
  }

  /// As `UsageSeries` orders its lines.
  private var dearestFirst: String {
    let (input, output) =
      table == .rows ? ("prompt_tokens", "completion_tokens") : ("tokens_input", "tokens_output")
    let tokens = dialect.saturatingSum(dialect.total(input), dialect.total(output))
    return "\(dialect.total("cost_nano_usd")) DESC, \(tokens) DESC, 1"
  }

  private var key: String {
    switch query.grouping {
    case .day: day
    case .week: dialect.monday(ofWeekOf: day)
    case .month: "substr(\(day), 1, 7)"
    case .key where query.isOfAllClients: "client_id || '/' || key_name"
    case .user, .agent, .conversation: "nullif(\(query.grouping.column?.rawValue ?? ""), '')"
    default: query.grouping.column?.rawValue ?? ""
    }
  }

  private var day: String {
    switch table {
    case .hourly: dialect.day(ofUnixSeconds: "hour * 3600")
    case .rows where query.isOfAllClients: "substr(created_at, 1, 10)"
    case .daily, .dailyUsers, .dailyConversations:
      query.isOfAllClients ? dialect.day(ofUnixSeconds: "utc_day * 86400") : "day"
    case .rows: "day"
    }
  }

  private var sums: String {
    RollupSums.columns.map { dialect.total(table == .rows ? $0.ofRow : $0.name) }
      .joined(separator: ", ")
  }

  private var span: String {
    switch table {
    case .rows: "created_at >= ?1 AND created_at < ?2"
    case .daily, .dailyUsers, .dailyConversations:
      query.isOfAllClients ? "utc_day >= ?1 AND utc_day <= ?2" : "day >= ?1 AND day <= ?2"
    case .hourly: "hour >= ?1 AND hour < ?2"
    }
  }

  private func bindSpan(to select: Statement) {
    guard table != .rows, let days = query.wholeDays else {
      return select.bindSpan(query.since, query.until)
    }
    if table == .hourly {
      select.bind(Int64(days.lowerBound.daysSinceEpoch) * 24, at: 1)
      select.bind(Int64(days.upperBound.daysSinceEpoch + 1) * 24, at: 2)
    } else if query.isOfAllClients {
      select.bind(Int64(days.lowerBound.daysSinceEpoch), at: 1)
      select.bind(Int64(days.upperBound.daysSinceEpoch), at: 2)
    } else {
      select.bind(days.lowerBound.description, at: 1)
      select.bind(days.upperBound.description, at: 2)
    }
  }
}

extension UsageQuery {
  fileprivate var denialKey: String {
    if grouping == .key, isOfAllClients { return "client_id || '/' || key_name" }
    return grouping.column?.ofDenials?.rawValue ?? "NULL"
  }
}

extension UsageColumn {
  /// The column of refusals that means the same.
  fileprivate var ofDenials: DenialColumn? {
    switch self {
    case .client: .client
    case .key: .key
    case .user: .user
    case .model: .model
    case .operation: .operation
    case .conversation, .agent, .provider, .outcome, .usageSource: nil
    }
  }
}

extension UsageGrouping {
  /// What the period is called that a day lies in; nil for what isn't a period.
  public func period(of day: CivilDate) -> String? {
    switch self {
    case .day: day.description
    case .week: day.adding(days: 1 - day.weekday).description
    case .month: String(day.description.prefix(7))
    default: nil
    }
  }
}

extension Statement {
  /// Binds `?1` the first instant, `?2` the one after the last.
  func bindSpan(_ since: Timestamp?, _ until: Timestamp?) {
    bind(since?.rfc3339 ?? "", at: 1)
    // Greater than every instant's text.
    bind(until?.rfc3339 ?? "~", at: 2)
  }
}
