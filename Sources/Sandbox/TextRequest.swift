internal import JSON

// Requests of other endpoints that the sandbox answers in words, like a chat.

extension ChatRequest {
  /// The limit of a completion whose request states none: sixteen tokens.
  private static let usualCompletionLimit: Int64 = 16

  /// Reads the body of a legacy completion.
  init(completion body: [UInt8]) throws(ProviderError) {
    let parser = JSONParser()
    let root = try ProviderError.root(of: body, parser)
    model = try ProviderError.model(of: root)
    isStreamed = root["stream"]?.boolean ?? false
    includesUsage = root["stream_options"]?["include_usage"]?.boolean ?? false
    outputLimit = root["max_tokens"]?.integer ?? ChatRequest.usualCompletionLimit
    let prompts = PromptSizes(root["prompt"])
    textBytes = prompts.textBytes
    messageCount = prompts.tokens.count
    lastText = root["prompt"]?.string ?? ""
    let answers = Int(clamping: root["n"]?.integer ?? 1)
    let candidates = Int(clamping: root["best_of"]?.integer ?? root["n"]?.integer ?? 1)
    guard 1...ChatRequest.mostChoices ~= answers, answers...ChatRequest.mostChoices ~= candidates
    else {
      throw ProviderError(status: 400, message: "Invalid 'n' or 'best_of'.", param: "n")
    }
    choices = answers * max(1, messageCount)
    self.candidates = candidates * max(1, messageCount)
  }

  /// Reads the body of a response's request: one text, or messages.
  init(response body: [UInt8]) throws(ProviderError) {
    let parser = JSONParser()
    let root = try ProviderError.root(of: body, parser)
    model = try ProviderError.model(of: root)
    isStreamed = root["stream"]?.boolean ?? false
    isBackground = root["background"]?.boolean ?? false
    includesUsage = true
    outputLimit = root["max_output_tokens"]?.integer
    serviceTier = root["service_tier"]?.string
    drawsImages =
      root["tools"]?.elements.contains { $0["type"]?.isString("image_generation") ?? false }
      ?? false
    guard let input = root["input"] else { return }
    if let text = input.string {
      lastText = text
      textBytes = text.utf8.count
      messageCount = 1
    }
    for message in input.elements {
      messageCount += 1
      lastText = ChatRequest.text(of: message["content"])
      textBytes += lastText.utf8.count
    }
  }
}

extension ProviderError {
  static func root(of body: [UInt8], _ parser: JSONParser) throws(ProviderError) -> JSONValue {
    do { return try parser.parse(body) } catch { throw .unreadableBody }
  }

  /// The model that a request names.
  static func model(of root: JSONValue) throws(ProviderError) -> String {
    guard let model = root["model"]?.string, !model.isEmpty else {
      throw ProviderError(
        status: 400, message: "you must provide a model parameter", param: "model")
    }
    guard !model.hasPrefix("missing-") else { throw .unknownModel(model) }
    return model
  }

  static func missing(_ param: String) -> ProviderError {
    ProviderError(
      status: 400, message: "Missing required parameter: '\(param)'.", param: param,
      code: "missing_required_parameter")
  }
}
