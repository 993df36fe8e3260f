internal import JSON
internal import Ledger
internal import Money
internal import Pricing
internal import Time

/// A row of `usage_logs` as the API shows it: its columns, with money as decimals.
enum UsageLogForm {
  /// The members without the braces, for objects that have others too.
  static func writeMembers(of row: UsageRow, to object: inout JSONWriter) {
    writeNames(of: row, to: &object)
    writeQuantities(row.usage, to: &object)
    writeCosts(of: row, to: &object)
    object.member("latency_ms", optional: row.latencyMilliseconds)
    object.member("ttft_ms", optional: row.timeToFirstTokenMilliseconds)
    object.member("overhead_us", optional: row.overheadMicroseconds)
    object.key("metadata")
    if let metadata = row.metadata { object.raw(metadata.utf8) } else { object.null() }
    object.member("created_at", row.createdAt.rfc3339)
  }

  /// How the cost came about: quantities × prices, and where the prices are from.
  static func writeExplanation(by bill: Bill?, to object: inout JSONWriter) {
    object.member("price_file", bill?.items.first?.tariff.origin.file)
    object.member("explain") { list in
      list.array { list in
        for line in bill?.lines ?? [] {
          list.object { object in
            object.member("quantity", line.quantity.name)
            object.member("amount", line.amount)
            object.member("unit_price_usd", line.unitPrice.decimalText)
            object.member("cost_usd", line.cost.decimalText)
          }
        }
      }
    }
  }

  private static func writeNames(of row: UsageRow, to object: inout JSONWriter) {
    object.member("request_id", "\(row.requestID)")
    object.member("client_id", row.clientID)
    object.member("key_name", row.keyName)
    object.member("user_id", row.userID)
    object.member("conversation_id", row.conversationID)
    object.member("agent_id", row.agentID)
    object.member("source", row.provider)
    object.member("model", row.model)
    object.member("response_model", row.responseModel)
    object.member("operation", row.operation.rawValue)
    object.member("endpoint", row.endpoint)
    object.member("stream", row.isStream)
    object.member("status", Int64(row.status))
    object.member("outcome", row.outcome.rawValue)
    object.member("usage_source", row.usageSource.rawValue)
  }

  private static func writeQuantities(_ usage: Usage, to object: inout JSONWriter) {
    object.member("prompt_tokens", usage.inputTokens)
    object.member("cached_tokens", usage.cachedInputTokens)
    object.member("cache_write_tokens", usage.cacheWriteTokens + usage.cacheWriteLongTokens)
    object.member("audio_input_tokens", usage.audioInputTokens)
    object.member("image_input_tokens", usage.imageInputTokens)
    object.member("completion_tokens", usage.outputTokens)
    object.member("reasoning_tokens", usage.reasoningTokens)
    object.member("audio_output_tokens", usage.audioOutputTokens)
    object.member("image_output_tokens", usage.imageOutputTokens)
    object.member("total_tokens", usage.totalTokens)
    object.member("audio_ms", usage.audioMilliseconds)
    object.member("characters", usage.characters)
    object.member("images", usage.images)
    object.member("calls", usage.calls)
  }

  private static func writeCosts(of row: UsageRow, to object: inout JSONWriter) {
    object.member("cost_usd", dollars(row.costNanoUSD))
    object.member("cost", row.cost.decimalText)
    object.member("currency", row.cost.currency.code)
    object.member("price_version", row.priceVersion)
    object.member("held_tokens", row.heldTokens)
    object.member("held_usd", dollars(row.heldNanoUSD))
    object.member("overrun_tokens", row.overrunTokens)
    object.member("overrun_usd", dollars(row.overrunNanoUSD))
  }

  private static func dollars(_ nanoUnits: Int64) -> String {
    Money(nanoUnits: nanoUnits, currency: .usd).decimalText
  }
}

/// A row of `denials` as the API shows it.
enum DenialForm {
  static func write(_ row: DenialRow, id: Int64, to writer: inout JSONWriter) {
    writer.object { object in
      object.member("id", id)
      object.member("request_id", "\(row.requestID)")
      object.member("client_id", row.clientID)
      object.member("key_name", row.keyName)
      object.member("user_id", row.userID)
      object.member("operation", row.operation.rawValue)
      object.member("model", row.model)
      object.member("budget_id", row.budgetID)
      object.member("reason", row.reason.rawValue)
      object.member("limit_value", row.limitValue)
      object.member("used", row.used)
      object.member("held", row.held)
      object.member("requested", row.requested)
      object.member("reset_at", row.resetAt?.rfc3339)
      object.member("created_at", row.createdAt.rfc3339)
    }
  }
}
