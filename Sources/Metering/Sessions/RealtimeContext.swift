public import Pricing

/// What the next response of a realtime session reads at most: the conversation so far, which the
/// session's provider keeps.
///
/// After each response its usage says how large the conversation is; what a client has sent since
/// the response began is added by its bytes.
public struct RealtimeContext: Sendable {
  /// Tokens that a hold has more than are known of, so that not every event needs a new one.
  public static let headroomTokens: Int64 = 512
  /// Sound that a hold for writing down has more than was sent.
  public static let headroomMilliseconds: Int64 = 60_000
  /// The most tokens of an image, for models that publish no rule.
  private static let tokensPerImage: Int64 = 8_000

  private struct Size {
    var text: Int64 = 0
    /// Sound and images, which are counted at the price of sound.
    var dear: Int64 = 0

    static func + (left: Size, right: Size) -> Size {
      Size(text: left.text + right.text, dear: left.dear + right.dear)
    }
  }

  private let model: String
  /// Nothing is larger than the model's context.
  private let largest: Int64
  private var known = Size()
  private var added = Size()
  /// What was there when the responses began that haven't ended.
  private var begun = Size()
  private var isOpenEnded = false
  private var audioSinceCommit: Int64 = 0
  private var audioToTranscribe: Int64 = 0
  /// Pieces of sound that are being written down.
  public private(set) var pendingTranscriptions = 0

  /// - Parameter contextTokens: the model's; nil where it isn't known.
  public init(model: String, contextTokens: Int64?) {
    self.model = model
    largest = contextTokens ?? PricedModel.assumedLargestOutput
  }

  // MARK: What happens

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

  /// - Parameter usage: what it used, if that is known, and it read this conversation.
  public mutating func responseEnded(_ usage: Usage?) {
    guard let usage else { return }
    let input = Size(
      text: usage.inputTokens - usage.audioInputTokens - usage.imageInputTokens,
      dear: usage.audioInputTokens + usage.imageInputTokens)
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

  /// What the next response may need.
  ///
  /// - Parameters:
  ///   - outputLimit: of its output; nil for as much as the model can make.
  ///   - headroom: tokens that may still be added.
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

  /// What the next transcription may need.
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
