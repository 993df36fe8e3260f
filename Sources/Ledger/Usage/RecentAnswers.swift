/// A model's latest answers, from which its usual output length, its speed and its tokens per text
/// are computed.
public struct RecentAnswers: Hashable, Sendable {
  public var provider: String
  public var model: String
  /// The answers, oldest first.
  public var answers: [Answer]

  /// The usage of one answer, and the bytes of its texts; 0 bytes if they weren't measured.
  public struct Answer: Hashable, Sendable {
    public var inputTokens: Int64
    public var outputTokens: Int64
    /// The output tokens that are text or reasoning, and neither sound nor images.
    public var outputTextTokens: Int64
    public var inputTextBytes: Int64
    public var outputTextBytes: Int64
    /// The time from the request's receipt to the answer's last byte; nil if unknown.
    public var latencyMilliseconds: Int64?
    /// The choices that the request asked for, at least 1. They are written at the same time.
    public var choices: Int64
    /// Whether some of the output is hidden reasoning.
    public var reasons: Bool
  }
}

extension LedgerReader {
  /// The number of rows that are searched, so that a start takes no longer as the ledger grows.
  static let searchedRows: Int64 = 200_000

  /// Returns, for each model, its latest complete answers with reported usage, at most `limit`.
  /// - Throws: `LedgerError` if the database can't be read.
  public func recentAnswers(limit: Int = 1_000) throws(LedgerError) -> [RecentAnswers] {
    let select = try connection.prepare(LedgerReader.selectAnswers)
    select.bind(LedgerReader.searchedRows, limit)
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
          choices: max(1, select.integer(9) ?? 1), reasons: select.integer(8) ?? 0 > 0))
    }
    return models
  }

  private static let selectAnswers = """
    SELECT source, model, prompt_tokens, completion_tokens,
      completion_tokens - audio_output_tokens - image_output_tokens,
      input_text_bytes, output_text_bytes, latency_ms, reasoning_tokens, choices
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
