internal import JSON
internal import Ledger
internal import Money
internal import Pricing
internal import Time

/// A row of `usage_logs` as the API shows it: its columns, with money as decimals.
enum UsageLogForm {
  static let fields: Fields = names + quantities + costs + times
  static let explanation: Fields = [
    "price_file": .anyText.orNull,
    "explain": .list(
      of: .object([
        "quantity": .anyText, "amount": .count, "unit_price_usd": .anyText, "cost_usd": .money,
      ])),
  ]

  private static let names: Fields = [
    "request_id": .anyText, "client_id": .anyText, "key_name": .anyText,
    "user_id": .anyText.orNull, "conversation_id": .anyText.orNull, "agent_id": .anyText.orNull,
    "source": .anyText, "model": .anyText, "response_model": .anyText.orNull,
    "operation": .choice(of: Operation.self), "endpoint": .anyText, "stream": .boolean,
    "status": .count, "outcome": .choice(of: Outcome.self),
    "usage_source": .choice(of: UsageSource.self),
  ]
  private static let quantities: Fields = [
    "prompt_tokens": .count, "cached_tokens": .count, "cache_write_tokens": .count,
    "audio_input_tokens": .count, "image_input_tokens": .count, "completion_tokens": .count,
    "reasoning_tokens": .count, "audio_output_tokens": .count, "image_output_tokens": .count,
    "total_tokens": .count, "audio_ms": .count, "characters": .count, "images": .count,
    "calls": .count,
  ]
  private static let costs: Fields = [
    "cost_usd": .money, "cost": .money, "currency": .currency, "price_version": .anyText.orNull,
    "held_tokens": .count, "held_usd": .money, "overrun_tokens": .count, "overrun_usd": .money,
  ]
  private static let times: Fields = [
    "latency_ms": .count.orNull, "ttft_ms": .count.orNull, "overhead_us": .count.orNull,
    "metadata": .freeObject.orNull, "created_at": .instant,
  ]

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
  static let schema = Schema.named(
    "Denial",
    .object([
      "id": .count, "request_id": .anyText, "client_id": .anyText, "key_name": .anyText,
      "user_id": .anyText.orNull, "operation": .choice(of: Operation.self), "model": .anyText,
      "budget_id": .anyText, "reason": .choice(of: DenialReason.self), "limit_value": .count,
      "used": .count, "held": .count, "requested": .count, "reset_at": .instant.orNull,
      "created_at": .instant,
    ]))

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
