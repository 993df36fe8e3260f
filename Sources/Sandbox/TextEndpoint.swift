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
