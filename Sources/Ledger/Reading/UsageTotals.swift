public import Money

/// What rows of `usage_logs` are summed by.
public enum UsageGrouping: String, Sendable, Hashable, CaseIterable {
  case client, key, user, conversation, agent, provider, model, operation, outcome, day, week, month
  case usageSource = "usage_source"

  /// The constant expression that stands in the statement.
  fileprivate var expression: String {
    switch self {
    case .client: "client_id"
    case .key: "client_id || '/' || key_name"
    case .user: "user_id"
    case .conversation: "conversation_id"
    case .agent: "agent_id"
    case .provider: "source"
    case .model: "model"
    case .operation: "operation"
    case .outcome: "outcome"
    case .usageSource: "usage_source"
    case .day: "day"
    // The Monday that it begins with.
    case .week: "date(day, 'weekday 0', '-6 days')"
    case .month: "substr(day, 1, 7)"
    }
  }
}

/// The sum of the rows of one group in one currency.
public struct UsageTotal: Hashable, Sendable {
  /// What the rows have in common, such as `gpt-4o-mini` for a model; nil for rows without
  /// it, such as those without a user.
  public var key: String?
  public var requests: Int64
  public var inputTokens: Int64
  public var outputTokens: Int64
  public var costNanoUSD: Int64
  /// In the billing currency of the rows; a group with two of them makes two sums.
  public var cost: Money

  public var totalTokens: Int64 { inputTokens.addingSaturated(outputTokens) }
}

extension LedgerReader {
  /// The sums of each group, in the order of their keys.
  public func usageTotals(
    by grouping: UsageGrouping, _ filter: UsageFilter = UsageFilter()
  ) throws(LedgerError) -> [UsageTotal] {
    let select = try connection.prepare(
      """
      SELECT \(grouping.expression) AS key, count(*), sum(prompt_tokens), sum(completion_tokens),
        sum(cost_nano_usd), sum(cost_nano), currency
      FROM usage_logs
      WHERE \(filter.clientID == nil ? "?1 IS NULL" : "client_id = ?1")
        AND created_at >= ?2 AND created_at < ?3
      GROUP BY key, currency ORDER BY key, currency
      """)
    filter.bind(to: select)
    var totals: [UsageTotal] = []
    try select.forEachRow { () throws(LedgerError) in
      guard let currency = select.text(6).flatMap({ Currency($0) }) else {
        throw .unreadable(record: "the currency of a usage row")
      }
      totals.append(
        UsageTotal(
          key: select.text(0), requests: select.integer(1) ?? 0,
          inputTokens: select.integer(2) ?? 0, outputTokens: select.integer(3) ?? 0,
          costNanoUSD: select.integer(4) ?? 0,
          cost: Money(nanoUnits: select.integer(5) ?? 0, currency: currency)))
    }
    return totals
  }
}
