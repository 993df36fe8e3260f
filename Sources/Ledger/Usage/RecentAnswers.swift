/// A model's latest answers, to know how long they tend to be, how fast the model writes and how
/// many tokens its texts make.
public struct RecentAnswers: Hashable, Sendable {
  public var provider: String
  public var model: String
  /// Oldest first.
  public var answers: [Answer]

  /// What one answer used, and the bytes of the texts that it used it for: 0 where they weren't
  /// measured.
  public struct Answer: Hashable, Sendable {
    public var inputTokens: Int64
    public var outputTokens: Int64
    /// Those of `outputTokens` that were written or thought, not spoken or drawn.
    public var outputTextTokens: Int64
    public var inputTextBytes: Int64
    public var outputTextBytes: Int64
    /// From the request's receipt to the answer's last byte; nil where that isn't known.
    public var latencyMilliseconds: Int64?
    /// Whether some of the output was thought and not shown.
    public var reasons: Bool
  }
}

extension LedgerReader {
  /// How far back the ledger is searched, so that a start takes no longer as the ledger grows.
  static let searchedRows: Int64 = 200_000

  /// For each model its latest whole answers whose usage was reported, at most `limit` of them.
  public func recentAnswers(limit: Int = 1_000) throws(LedgerError) -> [RecentAnswers] {
    let select = try connection.prepare(LedgerReader.selectAnswers)
    select.bind(LedgerReader.searchedRows, at: 1)
    select.bind(Int64(limit), at: 2)
    var models: [RecentAnswers] = []
    try select.forEachRow { () throws(LedgerError) in
      guard let provider = select.text(0), let model = select.text(1) else { return }
      if models.last?.provider != provider || models.last?.model != model {
        models.append(RecentAnswers(provider: provider, model: model, answers: []))
      }
      models[models.count - 1].answers.append(
        RecentAnswers.Answer(
          inputTokens: select.integer(2) ?? 0, outputTokens: select.integer(3) ?? 0,
          outputTextTokens: select.integer(4) ?? 0, inputTextBytes: select.integer(5) ?? 0,
          outputTextBytes: select.integer(6) ?? 0, latencyMilliseconds: select.integer(7),
          reasons: select.integer(8) ?? 0 > 0))
    }
    return models
  }

  private static let selectAnswers = """
    SELECT source, model, prompt_tokens, completion_tokens,
      completion_tokens - audio_output_tokens - image_output_tokens,
      input_text_bytes, output_text_bytes, latency_ms, reasoning_tokens
    FROM (
      SELECT *, row_number() OVER (PARTITION BY source, model ORDER BY id DESC) AS place
      FROM usage_logs
      WHERE id > (SELECT max(id) FROM usage_logs) - ?1
        AND outcome = 'ok' AND usage_source IN ('reported', 'drained')
        AND total_tokens > 0) AS ranked
    WHERE place <= ?2
    ORDER BY source, model, id
    """
}
