public import Pricing
public import Time

/// The sums of the rows with the same provider, UTC day, endpoint, pair of models, mix of tool
/// calls and prices.
public struct ProviderUse: Hashable, Sendable {
  public var day: CivilDate
  public var endpoint: String
  /// The requested model.
  public var model: String
  /// The model that answered, by the provider's name.
  public var responseModel: String?
  /// The tool calls of each of the rows, as in `UsageRow.toolCalls`.
  public var toolCalls: String?
  /// The prices of each of the rows, as in `UsageRow.priceVersion`.
  public var priceVersion: String?
  public var rows: Int64
  /// Rows whose usage the provider didn't report.
  public var estimatedRows: Int64
  /// Rows with an HTTP status below 400.
  public var requests: Int64
  public var inputTokens: Int64
  public var cachedTokens: Int64
  public var outputTokens: Int64
  public var audioMilliseconds: Int64
  public var characters: Int64
  public var images: Int64
  /// Calls of all kinds.
  public var calls: Int64
  /// All quantities; nil if a sum exceeds `Usage.largestCount`.
  public var usage: Usage?
  /// The provider's charge by the price book.
  public var providerCostNanoUSD: Int64
}

/// The clients whose use of a provider is summed.
public enum ProviderUsers: Hashable, Sendable {
  /// All clients except these.
  case allExcept([String])
  case only(String)

  var ids: [String] {
    switch self {
    case .allExcept(let ids): ids
    case .only(let id): [id]
    }
  }

  /// Returns the SQL condition on rows, with the IDs as parameters from `first` on.
  fileprivate func condition(from first: Int) -> String {
    let places = ids.indices.map { "?\(first + $0)" }.joined(separator: ", ")
    return switch self {
    case .allExcept(let ids): ids.isEmpty ? "" : "AND client_id NOT IN (\(places))"
    case .only: "AND client_id IN (\(places))"
    }
  }
}

extension LedgerReader {
  /// Returns the use of a provider from one day to another, both included, in the order of the
  /// days. It reads all rows of these days.
  /// - Throws: `LedgerError` if the database can't be read, or a row can't be understood.
  public func providerUse(
    of provider: String, by users: ProviderUsers = .allExcept([]), from first: CivilDate,
    through last: CivilDate
  ) throws(LedgerError) -> [ProviderUse] {
    let select = try connection.prepare(selectProviderUse(connection.dialect, by: users))
    select.bind(provider, at: 1)
    select.bind(first.description, at: 2)
    // As text, this is greater than every time of the last day and less than every time of the
    // next.
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
        priceVersion: fields.text("price_version"), rows: count("rows"),
        estimatedRows: count("estimated"), requests: count("requests"),
        inputTokens: count("prompt_tokens"), cachedTokens: count("cached_tokens"),
        outputTokens: count("completion_tokens"), audioMilliseconds: count("audio_ms"),
        characters: count("characters"), images: count("images"), calls: count("calls"),
        usage: Usage(from: fields), providerCostNanoUSD: count("cost"))
    }
  }
}

private func selectProviderUse(_ dialect: Dialect, by users: ProviderUsers) -> String {
  let sums = (Usage.columns.map { ($0, $0) } + [(UsageRow.providerCostColumn, "cost")])
    .map { "\(dialect.total($0)) AS \($1)" }
  return """
    SELECT substr(created_at, 1, 10) AS day, endpoint, model, response_model, tool_calls,
      price_version,
      count(*) AS rows, count(*) FILTER (WHERE usage_source = 'estimated') AS estimated,
      count(*) FILTER (WHERE status < 400) AS requests, \(sums.joined(separator: ", "))
    FROM usage_logs WHERE source = ?1 AND created_at >= ?2 AND created_at < ?3
      \(users.condition(from: 4))
    GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 3, 4 NULLS FIRST, 2, 5 NULLS FIRST, 6 NULLS FIRST
    """
}
