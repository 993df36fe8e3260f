internal import Money
internal import Pricing
internal import Time

/// Writes and reads a row's fields with the names of `usage_logs`, in the order of its columns.
extension UsageRow {
  func write(to fields: inout some FieldWriter) {
    fields.write("request_id", requestID.description)
    fields.write("client_id", clientID)
    fields.write("key_name", keyName)
    fields.write("user_id", userID)
    fields.write("conversation_id", conversationID)
    fields.write("agent_id", agentID)
    fields.write("source", provider)
    fields.write("model", model)
    fields.write("response_model", responseModel)
    fields.write("operation", operation.rawValue)
    fields.write("endpoint", endpoint)
    fields.write("stream", isStream ? 1 : 0)
    fields.write("status", Int64(status))
    fields.write("outcome", outcome.rawValue)
    fields.write("usage_source", usageSource.rawValue)
    usage.write(to: &fields)
    fields.write("cost_nano_usd", costNanoUSD)
    fields.write("provider_cost_nano_usd", providerCostNanoUSD)
    fields.write("cost_nano", cost.nanoUnits)
    fields.write("currency", cost.currency.code)
    fields.write("price_version", priceVersion)
    fields.write("held_tokens", heldTokens)
    fields.write("held_nano_usd", heldNanoUSD)
    fields.write("overrun_tokens", overrunTokens)
    fields.write("overrun_nano_usd", overrunNanoUSD)
    fields.write("latency_ms", latencyMilliseconds)
    fields.write("ttft_ms", timeToFirstTokenMilliseconds)
    fields.write("overhead_us", overheadMicroseconds)
    fields.write("tool_calls", toolCalls)
    fields.write("metadata", metadata)
    fields.write("created_at", createdAt.rfc3339)
    fields.write("day", day.description)
    fields.write("estimated_tokens", estimateCheck?.estimatedTokens)
    fields.write("input_text_bytes", estimateCheck?.inputTextBytes)
    fields.write("output_text_bytes", estimateCheck?.outputTextBytes)
    fields.write("choices", estimateCheck?.choices)
  }

  init(from fields: some FieldReader) throws(LedgerError) {
    let id = try fields.requiredText("request_id", of: "a usage row")
    let record = "usage row \(id)"
    func text(_ name: String) throws(LedgerError) -> String {
      try fields.requiredText(name, of: record)
    }
    let currency = try fields.required("currency", of: record, Currency(try text("currency")))
    self.init(
      requestID: try fields.required("request_id", of: record, RequestID(id)),
      clientID: try text("client_id"), keyName: try text("key_name"),
      userID: fields.text("user_id"), conversationID: fields.text("conversation_id"),
      agentID: fields.text("agent_id"), provider: try text("source"), model: try text("model"),
      responseModel: fields.text("response_model"),
      operation: try fields.required(
        "operation", of: record, Operation(rawValue: try text("operation"))),
      endpoint: try text("endpoint"), isStream: fields.integer("stream") == 1,
      status: Int(fields.integer("status") ?? 0),
      outcome: try fields.required("outcome", of: record, Outcome(rawValue: try text("outcome"))),
      usageSource: try fields.required(
        "usage_source", of: record, UsageSource(rawValue: try text("usage_source"))),
      usage: try fields.required("usage", of: record, Usage(from: fields)),
      costNanoUSD: fields.integer("cost_nano_usd") ?? 0,
      providerCostNanoUSD: fields.integer("provider_cost_nano_usd"),
      cost: Money(nanoUnits: fields.integer("cost_nano") ?? 0, currency: currency),
      priceVersion: fields.text("price_version"),
      heldTokens: fields.integer("held_tokens") ?? 0,
      heldNanoUSD: fields.integer("held_nano_usd") ?? 0,
      overrunTokens: fields.integer("overrun_tokens") ?? 0,
      overrunNanoUSD: fields.integer("overrun_nano_usd") ?? 0,
      latencyMilliseconds: fields.integer("latency_ms"),
      timeToFirstTokenMilliseconds: fields.integer("ttft_ms"),
      overheadMicroseconds: fields.integer("overhead_us"),
      toolCalls: fields.text("tool_calls"), metadata: fields.text("metadata"),
      estimateCheck: EstimateCheck(from: fields),
      createdAt: try fields.required(
        "created_at", of: record, Timestamp(rfc3339: try text("created_at"))),
      day: try fields.required("day", of: record, CivilDate(try text("day"))))
  }
}

extension EstimateCheck {
  fileprivate init?(from fields: some FieldReader) {
    guard let estimatedTokens = fields.integer("estimated_tokens") else { return nil }
    self.init(
      estimatedTokens: estimatedTokens, inputTextBytes: fields.integer("input_text_bytes") ?? 0,
      outputTextBytes: fields.integer("output_text_bytes") ?? 0,
      choices: fields.integer("choices") ?? 1)
  }
}

extension Usage {
  /// `cache_write_tokens` is of both retentions, and `audio_input_tokens` is all sound, cached or
  /// not. `cached_audio_tokens` stands in `cached_tokens` too: without it the columns' parts are a
  /// partition.
  fileprivate func write(to fields: inout some FieldWriter) {
    fields.write("prompt_tokens", inputTokens)
    fields.write("cached_tokens", cachedInputTokens)
    fields.write("cache_write_tokens", cacheWriteTokens + cacheWriteLongTokens)
    fields.write("cache_write_long_tokens", cacheWriteLongTokens)
    fields.write("audio_input_tokens", totalAudioInputTokens)
    fields.write("cached_audio_tokens", cachedAudioTokens)
    fields.write("image_input_tokens", imageInputTokens)
    fields.write("completion_tokens", outputTokens)
    fields.write("reasoning_tokens", reasoningTokens)
    fields.write("audio_output_tokens", audioOutputTokens)
    fields.write("image_output_tokens", imageOutputTokens)
    fields.write("total_tokens", totalTokens)
    fields.write("audio_ms", audioMilliseconds)
    fields.write("characters", characters)
    fields.write("images", images)
    fields.write("calls", calls)
  }

  /// The columns of the counts, as `write(to:)` names them.
  static let columns = [
    "prompt_tokens", "cached_tokens", "cache_write_tokens", "cache_write_long_tokens",
    "audio_input_tokens", "cached_audio_tokens", "image_input_tokens", "completion_tokens",
    "reasoning_tokens", "audio_output_tokens", "image_output_tokens", "total_tokens", "audio_ms",
    "characters", "images", "calls",
  ]

  /// Returns nil if a count is out of range, or if parts exceed their total.
  init?(from fields: some FieldReader) {
    func count(_ name: String) -> Int64 { fields.integer(name) ?? 0 }
    let cacheWriteLong = count("cache_write_long_tokens")
    let cachedAudio = count("cached_audio_tokens")
    self.init(
      inputTokens: count("prompt_tokens"), cachedInputTokens: count("cached_tokens"),
      cacheWriteTokens: count("cache_write_tokens") &- cacheWriteLong,
      cacheWriteLongTokens: cacheWriteLong,
      audioInputTokens: count("audio_input_tokens") &- cachedAudio,
      imageInputTokens: count("image_input_tokens"), outputTokens: count("completion_tokens"),
      reasoningTokens: count("reasoning_tokens"), audioOutputTokens: count("audio_output_tokens"),
      imageOutputTokens: count("image_output_tokens"), audioMilliseconds: count("audio_ms"),
      characters: count("characters"), images: count("images"), calls: count("calls"),
      cachedAudioTokens: cachedAudio)
    guard totalTokens == count("total_tokens") else { return nil }
  }
}

/// One charge in `usage_logs.budget_accounts`: `ID` if it equals the row's own tokens and cost,
/// `ID:TOKENS:COST_NANO` otherwise.
struct RecordedCharge {
  let account: Int64
  private let explicit: (tokens: Int64, costNano: Int64)?

  /// Returns nil unless the text has one of the two forms.
  init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let figures = parts.compactMap { Int64($0) }
    guard figures.count == parts.count, let account = figures.first else { return nil }
    self.account = account
    switch figures.count {
    case 1: explicit = nil
    case 3: explicit = (figures[1], figures[2])
    default: return nil
    }
  }

  /// Returns the charge of `row` to an account in `currency`.
  func figures(of row: UsageRow, in currency: Currency) -> (tokens: Int64, costNano: Int64) {
    explicit ?? (row.usage.totalTokens, row.costNano(in: currency) ?? 0)
  }
}
