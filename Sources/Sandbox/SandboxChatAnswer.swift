/// The sandbox's answer to a chat completion. All its parts are decided here, and none is written.
struct SandboxChatAnswer {
  let dialect: SandboxProviderDialect
  let request: ChatRequest
  let script: SandboxScript
  let identity: Identity
  let usage: SandboxUsage
  /// The number of pieces of text in each choice.
  let pieceCount: Int
  /// `stop`, `length` or `tool_calls`.
  let finishReason: String

  /// The properties that differ between two answers to equal requests.
  struct Identity: Equatable {
    /// The number of the answer, or the script's seed.
    var number: Int64
    /// Seconds since 1970.
    var created: Int64

    /// The identity of an answer with a seed. Equal requests get equal bytes at any time.
    static func seeded(_ seed: Int64) -> Identity {
      Identity(number: seed, created: 1_795_000_000)
    }
  }

  private static let words = [
    "The", " turnstile", " lets", " one", " through", " and", " counts:", " açaí", " for",
    " everybody,", " as", " far", " as", " the", " budget", " goes.",
  ]
  private static let usualWordCount = 24
  private static let charactersPerPiece = 4

  /// Text that is sent unchanged, four characters at a time; nil for words.
  private let text: [Character]?

  init(
    _ request: ChatRequest, script: SandboxScript, dialect: SandboxProviderDialect,
    identity: Identity
  ) {
    self.dialect = dialect
    self.request = request
    self.script = script
    self.identity = identity
    let text = request.toolCall?.arguments ?? request.jsonContent
    self.text = (text ?? (script.echoes ? request.lastText : nil)).map(Array.init)

    let whole = SandboxChatAnswer.pieceCount(
      text: self.text, script: script, choices: Int64(request.choices))
    let limit = request.outputLimit.map { max(0, $0 - script.reasoningTokens) } ?? .max
    pieceCount = script.completionTokens == nil ? Int(min(whole, limit)) : Int(whole)
    usage = SandboxUsage(
      request, script: script, pieces: pieceCount * (request.candidates ?? request.choices))
    if whole >= limit {
      finishReason = "length"
    } else {
      finishReason = request.toolCall == nil ? "stop" : "tool_calls"
    }
  }

  private static func pieceCount(
    text: [Character]?, script: SandboxScript, choices: Int64
  ) -> Int64 {
    if let text { return Int64((text.count + charactersPerPiece - 1) / charactersPerPiece) }
    if let chunks = script.chunks { return Int64(chunks) }
    guard let tokens = script.completionTokens else { return Int64(usualWordCount) }
    return max(0, tokens - script.reasoningTokens) / choices
  }

  var id: String { "chatcmpl-sandbox-\(identity.number)" }

  var model: String { script.responseModel ?? request.model }

  var serviceTier: String {
    if let tier = script.serviceTier { return tier }
    guard let tier = request.serviceTier, tier != "auto" else { return dialect.defaultServiceTier }
    return tier
  }

  /// One piece of the answer's text.
  func piece(_ index: Int) -> String {
    if let text {
      let start = index * SandboxChatAnswer.charactersPerPiece
      return String(text[start..<min(start + SandboxChatAnswer.charactersPerPiece, text.count)])
    }
    if let size = script.chunkBytes { return String(repeating: "x", count: size) }
    let word = SandboxChatAnswer.words[index % SandboxChatAnswer.words.count]
    return index > 0 && index % SandboxChatAnswer.words.count == 0 ? " " + word : word
  }

  /// The whole text of a choice.
  var content: String {
    var content = ""
    for index in 0..<pieceCount { content += piece(index) }
    return content
  }
}
