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
    guard let model = root["model"]?.string, !model.isEmpty else { throw .missingModel }
    guard !model.hasPrefix("missing-") else { throw .unknownModel(model) }
    return model
  }

  static func missing(_ param: String) -> ProviderError {
    ProviderError(
      status: 400, message: "Missing required parameter: '\(param)'.", param: param,
      code: "missing_required_parameter")
  }
}

/// A provider's call about text other than chat, by its path below the provider's base.
enum TextEndpoint: String {
  case completions = "/completions"
  case responses = "/responses"
  case compaction = "/responses/compact"
  case embeddings = "/embeddings"
  case moderations = "/moderations"

  /// Nil if the provider doesn't have this call.
  init?(_ dialect: SandboxProviderDialect, path: String) {
    self.init(rawValue: path)
    let isOpenAIOnly = self != .responses && self != .embeddings
    if dialect == .groq && isOpenAIOnly { return nil }
  }

  /// Decides on the answer to a call.
  ///
  /// - Throws: The error that the provider would answer.
  func answer(
    to body: [UInt8], script: SandboxScript, dialect: SandboxProviderDialect,
    identity: SandboxChatAnswer.Identity
  ) throws(ProviderError) -> BilledAnswer {
    func words(_ request: ChatRequest) -> SandboxChatAnswer {
      SandboxChatAnswer(request, script: script, dialect: dialect, identity: identity)
    }
    switch self {
    case .completions:
      return BilledAnswer(words(try ChatRequest(completion: body)), shape: \.completion)
    case .responses:
      return BilledAnswer(words(try ChatRequest(response: body)), shape: \.response)
    case .compaction:
      return BilledAnswer(words(try ChatRequest(response: body)), shape: \.compaction)
    case .embeddings:
      return try EmbeddingList.answer(to: body, script: script)
    case .moderations: return try ModerationResult.answer(to: body, identity: identity)
    }
  }
}

/// The answer of `POST /responses/input_tokens`: the prompt tokens that the sandbox would report.
enum InputTokenCount {
  static func answer(to body: [UInt8]) throws(ProviderError) -> JSONText {
    let parser = JSONParser()
    let root = try ProviderError.root(of: body, parser)
    guard let input = root["input"] else { throw .missing("input") }
    return #"{"object":"response.input_tokens","input_tokens":\#(count(input))}"#
  }

  /// The tokens of an input: one text, or a list of messages.
  private static func count(_ input: JSONValue) -> Int64 {
    if let textBytes = input.utf8Count {
      return SandboxUsage.promptTokens(textBytes: textBytes, messageCount: 1)
    }
    var textBytes = 0
    var messageCount = 0
    for message in input.elements {
      messageCount += 1
      textBytes += ChatRequest.text(of: message["content"]).utf8.count
    }
    return SandboxUsage.promptTokens(textBytes: textBytes, messageCount: messageCount)
  }
}
