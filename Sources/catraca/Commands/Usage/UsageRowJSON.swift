internal import Ledger
internal import Money
internal import Pricing

/// A row of `usage_logs` as the API shows it; for people what is worth a line.
enum UsageRowJSON {
  static func record(_ row: UsageRow) -> Record {
    var record = Record()
    addOrigin(of: row, to: &record)
    addUsage(row.usage, to: &record)
    record.add("tool_calls", nil, row.toolCalls.map { .json($0) } ?? .none)
    addMoney(of: row, to: &record)
    record.add("latency_ms", "Latency ms", .optional(row.latencyMilliseconds))
    record.add("ttft_ms", nil, .optional(row.timeToFirstTokenMilliseconds))
    record.add("overhead_us", nil, .optional(row.overheadMicroseconds))
    record.add("metadata", nil, row.metadata.map { .json($0) } ?? .none)
    record.add("created_at", "Admitted", .instant(row.createdAt))
    return record
  }

  private static func addOrigin(of row: UsageRow, to record: inout Record) {
    record.add("request_id", "Request", .text(row.requestID.description))
    record.add("client_id", "Client", .text(row.clientID))
    record.add("key_name", "Key", .text(row.keyName))
    record.add("user_id", "User", .optional(row.userID))
    record.add("conversation_id", "Conversation", .optional(row.conversationID))
    record.add("agent_id", nil, .optional(row.agentID))
    record.add("source", "Provider", .text(row.provider))
    record.add("model", "Model", .text(row.model))
    record.add("response_model", "Answered by", .optional(row.responseModel))
    record.add("operation", "Operation", .text(row.operation.rawValue))
    record.add("endpoint", "Endpoint", .text(row.endpoint))
    record.add("stream", "Stream", .boolean(row.isStream))
    record.add("status", "Status", .integer(Int64(row.status)))
    record.add("outcome", "Outcome", .text(row.outcome.rawValue))
    record.add("usage_source", "Usage", .text(row.usageSource.rawValue))
  }

  private static func addUsage(_ usage: Usage, to record: inout Record) {
    record.add("prompt_tokens", "Input tokens", .integer(usage.inputTokens))
    record.add("cached_tokens", nil, .integer(usage.cachedInputTokens))
    record.add(
      "cache_write_tokens", nil, .integer(usage.cacheWriteTokens + usage.cacheWriteLongTokens))
    record.add("audio_input_tokens", nil, .integer(usage.totalAudioInputTokens))
    record.add("cached_audio_tokens", nil, .integer(usage.cachedAudioTokens))
    record.add("image_input_tokens", nil, .integer(usage.imageInputTokens))
    record.add("completion_tokens", "Output tokens", .integer(usage.outputTokens))
    record.add("reasoning_tokens", nil, .integer(usage.reasoningTokens))
    record.add("audio_output_tokens", nil, .integer(usage.audioOutputTokens))
    record.add("image_output_tokens", nil, .integer(usage.imageOutputTokens))
    record.add("total_tokens", nil, .integer(usage.totalTokens))
    record.add("audio_ms", nil, .integer(usage.audioMilliseconds))
    record.add("characters", nil, .integer(usage.characters))
    record.add("images", nil, .integer(usage.images))
    record.add("calls", nil, .integer(usage.calls))
  }

  private static func addMoney(of row: UsageRow, to record: inout Record) {
    record.add("cost_usd", "Cost USD", .amount(nanoUnits: row.costNanoUSD))
    // In US dollars it is the line above.
    let isOtherCurrency = row.cost.currency != .usd
    record.add(
      "cost", isOtherCurrency ? "Cost \(row.cost.currency.code)" : nil, .money(row.cost))
    record.add(
      "provider_cost_usd", "Provider USD", .amount(nanoUnits: row.providerCostNanoUSD))
    record.add("currency", nil, .text(row.cost.currency.code))
    record.add("price_version", "Prices", .optional(row.priceVersion))
    record.add("held_tokens", "Held tokens", .integer(row.heldTokens))
    record.add("held_usd", "Held USD", .amount(nanoUnits: row.heldNanoUSD))
    record.add("overrun_tokens", nil, .integer(row.overrunTokens))
    record.add("overrun_usd", nil, .amount(nanoUnits: row.overrunNanoUSD))
  }
}
