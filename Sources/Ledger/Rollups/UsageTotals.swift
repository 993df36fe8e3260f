public import Money
public import Time

/// The sum of the rows of one group in one currency.
public struct UsageTotal: Hashable, Sendable {
  /// The common value of the rows, for example `gpt-4o-mini` for a model, or a week's Monday. Nil
  /// for rows without a value, for example rows without a user.
  public var key: String?
  public var requests: Int64
  public var inputTokens: Int64
  public var outputTokens: Int64
  /// Conversations whose first row of a calendar month is among these.
  public var conversations: Int64
  /// The clients' charges.
  public var costNanoUSD: Int64
  /// The providers' charges.
  public var providerCostNanoUSD: Int64
  /// The charges in the rows' billing currency. A group with two currencies has two sums.
  public var cost: Money

  public var totalTokens: Int64 { inputTokens.addingSaturated(outputTokens) }
}

extension LedgerReader {
  /// Returns the sums of each group, in the order of their keys.
  ///
  /// The sums come from rollups if these have the requested columns, and from all rows of the span
  /// otherwise. Days of one client are the days of its rows.
  /// - Throws: `LedgerError` if the database can't be read, or a row can't be understood.
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

  /// Returns the number of refusals by budgets, in the same groups. A refusal has no provider,
  /// agent, conversation or outcome: it isn't counted if a condition names one of them, and it has
  /// no key if the grouping is one of them.
  /// - Throws: `LedgerError` if the database can't be read.
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

/// The SQL statement of a query.
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
      // The inner statement finds the groups by cost, and the outer one computes the other sums for
      // these few groups only. For a client with many conversations, this takes a quarter of the
      // time.
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

  /// The expression that distinguishes groups, never NULL; nil for periods.
  private var group: String? {
    guard let column = query.grouping.column?.rawValue else { return nil }
    if query.grouping == .key, query.isOfAllClients { return key }
    return table == .rows ? "coalesce(\(column), '')" : column
  }

  /// The order of lines in `UsageSeries`.
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
  /// The column of refusals with the same meaning; nil if there is none.
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
  /// Returns the name of the period that contains a day; nil if the grouping isn't a period.
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
  /// Binds the start of the span to `?1`, and its end, which isn't included, to `?2`.
  func bindSpan(_ since: Timestamp?, _ until: Timestamp?) {
    bind(since?.rfc3339 ?? "", at: 1)
    // Greater than the text of any time.
    bind(until?.rfc3339 ?? "~", at: 2)
  }
}
