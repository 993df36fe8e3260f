public import Time

/// What the rows of one provider, UTC day, endpoint, pair of models and mix of tool calls sum up
/// to.
public struct ProviderUse: Hashable, Sendable {
  public var day: CivilDate
  public var endpoint: String
  /// As it was asked for.
  public var model: String
  /// As the provider called it.
  public var responseModel: String?
  /// Of each of the rows, as `UsageRow.toolCalls`.
  public var toolCalls: String?
  public var rows: Int64
  /// Rows whose usage the provider didn't report.
  public var estimatedRows: Int64
  /// Those that were answered with less than 400.
  public var requests: Int64
  public var inputTokens: Int64
  public var cachedTokens: Int64
  public var outputTokens: Int64
  public var audioMilliseconds: Int64
  public var characters: Int64
  public var images: Int64
  /// Of all kinds.
  public var calls: Int64
  /// What the provider charges by the price book.
  public var providerCostNanoUSD: Int64
}

/// Whose use of a provider is meant.
public enum ProviderUsers: Hashable, Sendable {
  /// All clients but these.
  case allExcept([String])
  case only(String)

  var ids: [String] {
    switch self {
    case .allExcept(let ids): ids
    case .only(let id): [id]
    }
  }

  /// What a statement demands of rows, with the ids as parameters from `first` on.
  fileprivate func condition(from first: Int) -> String {
    let places = ids.indices.map { "?\(first + $0)" }.joined(separator: ", ")
    return switch self {
    case .allExcept(let ids): ids.isEmpty ? "" : "AND client_id NOT IN (\(places))"
    case .only: "AND client_id IN (\(places))"
    }
  }
}

extension LedgerReader {
  /// What was used of a provider from one day to another, both included; in the order of the days.
  /// Reads all rows of these days.
  public func providerUse(
    of provider: String, by users: ProviderUsers = .allExcept([]), from first: CivilDate,
    through last: CivilDate
  ) throws(LedgerError) -> [ProviderUse] {
    let select = try connection.prepare(selectProviderUse(connection.dialect, by: users))
    select.bind(provider, at: 1)
    select.bind(first.description, at: 2)
    // Greater than every instant of the last day as text, and less than those of the next.
    select.bind("\(last)~", at: 3)
    for (place, id) in users.ids.enumerated() { select.bind(id, at: Int32(4 + place)) }
    return try select.rows { fields throws(LedgerError) in
      func count(_ name: String) -> Int64 { fields.integer(name) ?? 0 }
      return ProviderUse(
        day: try fields.required(
          "day", of: "a usage row", fields.text("day").flatMap(CivilDate.init)),
        endpoint: fields.text("endpoint") ?? "",
        model: try fields.requiredText("model", of: "a usage row"),
        responseModel: fields.text("response_model"), toolCalls: fields.text("tool_calls"),
        rows: count("rows"), estimatedRows: count("estimated"), requests: count("requests"),
        inputTokens: count("input"), cachedTokens: count("cached"),
        outputTokens: count("output"), audioMilliseconds: count("audio_ms"),
        characters: count("characters"), images: count("images"), calls: count("calls"),
        providerCostNanoUSD: count("cost"))
    }
  }
}

private func selectProviderUse(_ dialect: Dialect, by users: ProviderUsers) -> String {
  let sums = [
    ("prompt_tokens", "input"), ("cached_tokens", "cached"), ("completion_tokens", "output"),
    ("audio_ms", "audio_ms"), ("characters", "characters"), ("images", "images"),
    ("calls", "calls"),
    (UsageRow.providerCostColumn, "cost"),
  ].map { "\(dialect.total($0)) AS \($1)" }
  return """
    SELECT substr(created_at, 1, 10) AS day, endpoint, model, response_model, tool_calls,
      count(*) AS rows, count(*) FILTER (WHERE usage_source = 'estimated') AS estimated,
      count(*) FILTER (WHERE status < 400) AS requests, \(sums.joined(separator: ", "))
    FROM usage_logs WHERE source = ?1 AND created_at >= ?2 AND created_at < ?3
      \(users.condition(from: 4))
    GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 3, 4 NULLS FIRST, 2, 5 NULLS FIRST
    """
}
