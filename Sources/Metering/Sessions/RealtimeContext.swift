public import Pricing

/// Bounds the input of a realtime session's next response: the conversation so far, which the
/// provider keeps.
///
/// The usage of each response reports the conversation's size. Input that the client has sent since
/// the response began is added by its bytes.
public struct RealtimeContext: Sendable {
  /// Tokens that a hold has beyond the known ones, so that not every event needs a new hold.
  public static let headroomTokens: Int64 = 512
  /// Milliseconds of sound that a transcription's hold has beyond the sent sound.
  public static let headroomMilliseconds: Int64 = 60_000
  /// The most tokens of an image, for models without a published rule.
  private static let tokensPerImage: Int64 = 8_000

  private struct Size {
    var text: Int64 = 0
    /// Sound and images, both counted at the price of sound.
    var dear: Int64 = 0

    static func + (left: Size, right: Size) -> Size {
      Size(text: left.text + right.text, dear: left.dear + right.dear)
    }
  }

  private let model: String
  /// The model's context, which nothing exceeds.
  private let largest: Int64
  private var known = Size()
  private var added = Size()
  /// The size that was added when the responses in progress began.
  private var begun = Size()
  private var isOpenEnded = false
  private var audioSinceCommit: Int64 = 0
  private var audioToTranscribe: Int64 = 0
  /// The number of sounds that are being transcribed.
  public private(set) var pendingTranscriptions = 0

  /// - Parameter contextTokens: The model's context in tokens; nil if it isn't known.
  public init(model: String, contextTokens: Int64?) {
    self.model = model
    largest = contextTokens ?? PricedModel.assumedLargestOutput
  }

  // MARK: Events

  public mutating func note(_ event: RealtimeClientEvent) {
    let audio = RealtimeAudio.boundInputTokens(characters: event.audioCharacters)
    added.text += max(0, event.kind == .appendAudio ? 0 : event.textBytes)
    added.dear += audio + event.images * Self.tokensPerImage
    isOpenEnded = isOpenEnded || event.isOpenEnded
    if event.kind == .appendAudio {
      audioSinceCommit += RealtimeAudio.boundMilliseconds(characters: event.audioCharacters)
    }
  }

  public mutating func responseBegan() {
    begun = added
  }

  /// - Parameter usage: The response's usage; nil if it is unknown, or if the response didn't read
  ///   this conversation.
  public mutating func responseEnded(_ usage: Usage?) {
    guard let usage else { return }
    let input = Size(
      text: usage.inputTokens - usage.totalAudioInputTokens - usage.imageInputTokens,
      // The next response may find nothing in the cache.
      dear: usage.totalAudioInputTokens + usage.imageInputTokens)
    let output = Size(
      text: usage.outputTokens - usage.audioOutputTokens, dear: usage.audioOutputTokens)
    known = input + output
    added = Size(text: added.text - begun.text, dear: added.dear - begun.dear)
    begun = Size()
  }

  public mutating func audioCommitted() {
    audioToTranscribe += audioSinceCommit
    audioSinceCommit = 0
    pendingTranscriptions += 1
  }

  public mutating func transcriptionEnded() {
    pendingTranscriptions = max(0, pendingTranscriptions - 1)
    if pendingTranscriptions == 0 { audioToTranscribe = 0 }
  }

  // MARK: Bounds

  /// Returns the bounds of the next response.
  ///
  /// - Parameters:
  ///   - outputLimit: The output limit in tokens; nil for the model's own limit.
  ///   - headroom: Tokens that may still be added.
  public func responseFacts(
    outputLimit: Int64?, headroom: Int64 = RealtimeContext.headroomTokens
  ) -> RequestFacts {
    var facts = RequestFacts(of: Endpoints.realtime)
    facts.model = model
    facts.stream = true
    facts.asksForAudio = true
    facts.outputLimit = outputLimit
    let dear = min(known.dear + added.dear, largest)
    facts.input.audioMilliseconds = dear * 1000 / RequestFacts.audioTokensPerSecond
    facts.input.spareAudioTokens = isOpenEnded ? largest - dear : min(headroom, largest - dear)
    let rest = largest - dear - facts.input.spareAudioTokens
    facts.input.tokens = min(known.text, rest)
    facts.input.textBytes = min(added.text, rest - facts.input.tokens)
    return facts
  }

  /// Returns the bounds of the next transcription.
  public func transcriptionFacts(
    model: String, headroom: Int64 = RealtimeContext.headroomMilliseconds
  ) -> RequestFacts {
    var facts = RequestFacts(of: Endpoints.realtimeTranscription)
    facts.model = model
    facts.stream = true
    let sent = audioToTranscribe + audioSinceCommit
    facts.audioMilliseconds = sent + headroom
    facts.estimatedAudioMilliseconds = max(1, sent / 4)
    facts.input.audioMilliseconds = facts.audioMilliseconds
    facts.boundMediaOutput()
    return facts
  }
}

// The entries of one WebSocket's work: its responses, and its transcriptions. Another model makes
// the transcriptions at its own price.

extension Endpoints {
  public static let realtime = Endpoint(
    method: "GET", path: "/v1/realtime", operation: .realtime, request: .events,
    output: .byModel, answer: RealtimeAnswer.self)

  public static let realtimeTranscription = Endpoint(
    method: "GET", path: "/v1/realtime", operation: .transcription, request: .events,
    output: .none, answer: TranscriptionAnswer.self)
}

extension Endpoint {
  /// Whether the endpoint is used over a WebSocket, event by event.
  public var isWebSocket: Bool {
    if case .events = request { true } else { false }
  }
}
