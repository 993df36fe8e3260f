/// The output tokens of a model's latest answers, to know how long its answers tend to be.
public struct RecentOutputs: Hashable, Sendable {
  public var provider: String
  public var model: String
  /// Oldest first.
  public var outputTokens: [Int64]
}

extension LedgerReader {
  /// How far back the ledger is searched, so that a start takes no longer as the ledger grows.
  static let searchedRows: Int64 = 200_000

  /// For each model the outputs of its latest whole answers, at most `limit` of them.
  public func recentOutputs(limit: Int = 1_000) throws(LedgerError) -> [RecentOutputs] {
    let select = try connection.prepare(LedgerReader.selectOutputs)
    select.bind(LedgerReader.searchedRows, at: 1)
    select.bind(Int64(limit), at: 2)
    var models: [RecentOutputs] = []
    try select.forEachRow { () throws(LedgerError) in
      guard let provider = select.text(0), let model = select.text(1),
        let tokens = select.integer(2)
      else { return }
      if models.last?.provider != provider || models.last?.model != model {
        models.append(RecentOutputs(provider: provider, model: model, outputTokens: []))
      }
      models[models.count - 1].outputTokens.append(tokens)
    }
    return models
  }

  private static let selectOutputs = """
    SELECT source, model, completion_tokens
    FROM (
      SELECT id, source, model, completion_tokens,
        row_number() OVER (PARTITION BY source, model ORDER BY id DESC) AS place
      FROM usage_logs
      WHERE id > (SELECT max(id) FROM usage_logs) - ?1
        AND outcome = 'ok' AND completion_tokens > 0)
    WHERE place <= ?2
    ORDER BY source, model, id
    """
}
