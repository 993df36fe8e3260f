internal import JSON
internal import Money
internal import Pricing

// Names spans and writes their attributes by OpenTelemetry's semantic conventions for generative AI
// (1.37) and for HTTP servers. Attributes that the conventions don't define begin with `catraca.`.

extension RequestSpan {
  /// The span's name: `chat gpt-4o-mini`. Before the model is known, it is `POST
  /// /v1/chat/completions`, or only `POST`, so that there are few names.
  var name: String {
    if let operation, let model { return "\(operation.conventionalName) \(model.text)" }
    let method = method ?? "HTTP"
    return route.map { "\(method) \($0)" } ?? method
  }

  /// Writes the elements of the list of attributes.
  func writeAttributes(to list: inout JSONWriter) {
    writeRequest(to: &list)
    writeModelCall(to: &list)
    writeEnding(to: &list)
  }

  private func writeRequest(to list: inout JSONWriter) {
    list.attribute("http.request.method", method ?? "_OTHER")
    list.attribute("url.path", path.text)
    list.attribute("http.route", route)
    list.attribute("catraca.request_id", requestID)
    list.attribute("catraca.client", client)
    list.attribute("catraca.key", key)
  }

  private func writeModelCall(to list: inout JSONWriter) {
    list.attribute("gen_ai.operation.name", operation?.conventionalName)
    list.attribute("gen_ai.provider.name", provider)
    list.attribute("server.address", providerHost)
    list.attribute("server.port", providerPort.map { Int64($0) })
    list.attribute("gen_ai.request.model", model?.text)
    list.attribute("gen_ai.request.stream", isStream)
    list.attribute("gen_ai.request.max_tokens", outputLimit)
    list.attribute("gen_ai.request.choice.count", choices == 1 ? nil : choices)
    list.attribute("gen_ai.conversation.id", conversation?.text)
  }

  private func writeEnding(to list: inout JSONWriter) {
    list.attribute("http.response.status_code", status.map { Int64($0) })
    list.attribute("error.type", failure)
    list.attribute("gen_ai.response.model", responseModel?.text)
    if let usage {
      list.attribute("gen_ai.usage.input_tokens", usage.inputTokens)
      list.attribute("gen_ai.usage.output_tokens", usage.outputTokens)
      list.attribute("gen_ai.usage.cache_read.input_tokens", usage.cachedInputTokens)
      list.attribute("gen_ai.usage.reasoning.output_tokens", usage.reasoningTokens)
    }
    if let timeToFirstToken {
      list.attribute("gen_ai.response.time_to_first_chunk", seconds: timeToFirstToken)
    }
    list.attribute("catraca.usage_source", usageSource)
    list.attribute("catraca.cost_usd", cost?.decimalText)
    list.attribute("catraca.cost_nano_usd", cost?.nanoUnits)
    list.attribute("catraca.held_tokens", heldTokens)
    list.attribute("catraca.held_cost_usd", heldCost?.decimalText)
    list.attribute("catraca.refused_by_budget", refusingBudget)
  }
}

extension Operation {
  /// The operation's name in the conventions, or its own if they have none.
  fileprivate var conventionalName: String {
    switch self {
    case .responses: "chat"
    case .completion: "text_completion"
    case .embedding: "embeddings"
    case .chat, .transcription, .translation, .speech, .image, .moderation, .batch, .realtime:
      rawValue
    }
  }
}
