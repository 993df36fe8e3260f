/// The usage that the sandbox reports.
///
/// Its rule lets a test compute it beforehand. Four bytes of a message's text are a prompt token;
/// each message costs four more, and the beginning of the answer three. Each piece of the answer, a
/// word of text or four characters of JSON, is a completion token. For example, one message of 40
/// bytes has 10 + 4 + 3 = 17 prompt tokens.
struct SandboxUsage: Equatable {
  var promptTokens: Int64
  var completionTokens: Int64
  var cachedTokens: Int64
  var reasoningTokens: Int64
  var audioTokens: Int64
  // The billed uses of a response's tools, which aren't tokens.
  var webSearches: Int64 = 0
  var fileSearches: Int64 = 0
  var containers: Int64 = 0

  var totalTokens: Int64 { promptTokens + completionTokens }

  private static let bytesPerToken = 4
  private static let tokensPerMessage = 4
  private static let tokensPerRequest = 3

  static func promptTokens(textBytes: Int, messageCount: Int) -> Int64 {
    let textTokens = (textBytes + bytesPerToken - 1) / bytesPerToken
    return Int64(textTokens + tokensPerMessage * messageCount + tokensPerRequest)
  }

  init(promptTokens: Int64, completionTokens: Int64) {
    self.promptTokens = promptTokens
    self.completionTokens = completionTokens
    cachedTokens = 0
    reasoningTokens = 0
    audioTokens = 0
  }

  init(_ request: ChatRequest, script: SandboxScript, pieces: Int) {
    promptTokens =
      script.promptTokens
      ?? SandboxUsage.promptTokens(
        textBytes: request.textBytes, messageCount: request.messageCount)
    completionTokens = script.completionTokens ?? Int64(pieces) + script.reasoningTokens
    cachedTokens = script.cachedTokens
    reasoningTokens = script.reasoningTokens
    audioTokens = script.audioTokens
    webSearches = Int64(script.webSearches)
    fileSearches = Int64(script.fileSearches)
    containers = Int64(script.containers)
  }

  func json(_ dialect: SandboxProviderDialect) -> JSONText {
    switch dialect {
    case .openAI: openAIJSON
    case .groq: groqJSON
    }
  }

  /// The usage in the words of the Responses API. Only OpenAI counts tokens written to the cache.
  func responsesJSON(_ dialect: SandboxProviderDialect) -> JSONText {
    """
    {"input_tokens":\(promptTokens),"input_tokens_details":{"cached_tokens":\(cachedTokens)
    \(member: "cache_write_tokens", dialect == .openAI ? "0" : nil)},
    "output_tokens":\(completionTokens),
    "output_tokens_details":{"reasoning_tokens":\(reasoningTokens)},
    "total_tokens":\(totalTokens)}
    """
  }

  private var openAIJSON: JSONText {
    """
    {"prompt_tokens":\(promptTokens),"completion_tokens":\(completionTokens),
    "total_tokens":\(totalTokens),
    "prompt_tokens_details":{"cached_tokens":\(cachedTokens),"audio_tokens":\(audioTokens)},
    "completion_tokens_details":{"reasoning_tokens":\(reasoningTokens),"audio_tokens":0,
    "accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}
    """
  }

  /// Groq's usage: its counts are mixed with seconds with a fraction, and it has details only if
  /// they aren't zero.
  private var groqJSON: JSONText {
    let promptTime = promptTokens * 47
    let completionTime = completionTokens * 1_003
    let cached: JSONText = #"{"cached_tokens":\#(cachedTokens)}"#
    let reasoning: JSONText = #"{"reasoning_tokens":\#(reasoningTokens)}"#
    return """
      {"queue_time":0.017371826,"prompt_tokens":\(promptTokens),
      "prompt_time":\(promptTime, decimals: 6),"completion_tokens":\(completionTokens),
      "completion_time":\(completionTime, decimals: 6),"total_tokens":\(totalTokens),
      "total_time":\(promptTime + completionTime, decimals: 6)
      \(member: "prompt_tokens_details", cachedTokens > 0 ? cached : nil)
      \(member: "completion_tokens_details", reasoningTokens > 0 ? reasoning : nil)}
      """
  }
}

/// The sandbox's prices for a model, in nano-units of a US dollar a token.
struct SandboxTariff {
  let input: Int64
  let cachedInput: Int64
  let output: Int64
  /// The price of each web search.
  var webSearch: Int64 = 10_000_000

  /// The prices of each file search, and of each session of a container of the usual size.
  static let fileSearch: Int64 = 2_500_000
  static let containerSession: Int64 = 30_000_000

  /// The prices in a batch: half, except for cached input.
  var ofBatches: SandboxTariff {
    SandboxTariff(
      input: input / 2, cachedInput: cachedInput, output: output / 2, webSearch: webSearch)
  }

  private static let snapshots = [
    "gpt-4o-mini": "gpt-4o-mini-2024-07-18", "gpt-4o": "gpt-4o-2024-08-06",
  ]
  private static let all = [
    "gpt-4o-mini-2024-07-18": SandboxTariff(
      input: 150, cachedInput: 75, output: 600, webSearch: 25_000_000),
    "gpt-4o-2024-08-06": SandboxTariff(
      input: 2_500, cachedInput: 1_250, output: 10_000, webSearch: 25_000_000),
    "text-embedding-3-small": SandboxTariff(input: 20, cachedInput: 20, output: 0),
    "gpt-realtime": SandboxTariff(input: 4_000, cachedInput: 400, output: 16_000),
  ]

  /// The name under which a model is billed.
  static func snapshot(of model: String) -> String { snapshots[model] ?? model }

  static func of(_ snapshot: String) -> SandboxTariff? { all[snapshot] }
}

/// An answer that a provider bills: its content, and the usage that the journal keeps.
struct BilledAnswer {
  let model: String
  let usage: SandboxUsage
  let content: Content

  enum Content {
    case whole(JSONText)
    /// The events of a stream, made one at a time.
    case stream(AnySequence<[UInt8]>)
  }

  var isStreamed: Bool {
    if case .stream = content { true } else { false }
  }

  init(model: String, usage: SandboxUsage, content: Content) {
    self.model = model
    self.usage = usage
    self.content = content
  }

  /// An answer in words, in the shape of its endpoint.
  init(_ answer: SandboxChatAnswer, shape: (SandboxChatAnswer) -> Content) {
    self.init(model: answer.request.model, usage: answer.usage, content: shape(answer))
  }
}
