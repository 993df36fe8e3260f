public import Pricing

/// Estimates usage from the sent and received bytes, for answers that report none.
public enum Estimate {
  /// The overhead of a message, as bytes of text: usually four tokens.
  static let bytesPerMessage: Int64 = 16
  static let tokensPerImage: Int64 = 800
  static let tokensPerLowDetailImage: Int64 = 85
  static let audioTokensPerSecond: Int64 = 10

  /// Estimates a request's usage. The input is at least 1 token; so is the output if any of its
  /// text was received. Hidden reasoning is included as far as `rates` have learned of it.
  ///
  /// - Parameters:
  ///   - outputTextBytes: As in `UsageReport`.
  ///   - outputAudioTokens: As in `UsageReport`.
  ///   - generatedTokens: The output that the model may have made in the elapsed time, even if none
  ///     was received. The output is at least this.
  ///   - rates: The model's rates.
  public static func usage(
    for facts: RequestFacts, outputTextBytes: Int64, outputAudioTokens: Int64 = 0,
    generatedTokens: Int64 = 0, by rates: TokenRates
  ) -> Usage {
    let text = rates.output.tokens(ofBytes: outputTextBytes)
    let media = facts.estimatedMediaTokens + outputAudioTokens
    let output = min(max(text + media, generatedTokens), Usage.largestCount)
    return Usage(
      inputTokens: min(facts.estimatedInputTokens(by: rates), Usage.largestCount),
      audioInputTokens: facts.estimatedAudioMilliseconds > 0 || facts.operation == .realtime
        ? facts.estimatedAudioTokens : 0,
      outputTokens: output,
      audioOutputTokens: facts.operation == .image ? 0 : min(media, output),
      imageOutputTokens: facts.operation == .image ? min(media, output) : 0,
      audioMilliseconds: facts.estimatedAudioMilliseconds, characters: facts.characters,
      images: facts.images) ?? .zero
  }
}

extension RequestFacts {
  /// Returns the approximate number of input tokens of all kinds; at least 1.
  public func estimatedInputTokens(by rates: TokenRates) -> Int64 {
    let text = rates.input.tokens(ofBytes: estimatedTextBytes) + input.tokens
    let images =
      input.images * Estimate.tokensPerImage
      + input.lowDetailImages * Estimate.tokensPerLowDetailImage
    return max(1, text + images + estimatedAudioTokens)
  }

  /// The bytes of text that the model reads, including the overhead of messages.
  var estimatedTextBytes: Int64 {
    input.textBytes + input.messages * Estimate.bytesPerMessage
  }

  var estimatedAudioTokens: Int64 {
    let sound =
      estimatedAudioMilliseconds > 0 ? estimatedAudioMilliseconds : input.audioMilliseconds
    return (sound * Estimate.audioTokensPerSecond + 999) / 1000
  }

  /// Whether a model writes the answer token by token, so that its output grows with time.
  public var growsWithTime: Bool {
    switch operation {
    case .chat, .responses, .completion, .realtime: true
    default: false
    }
  }

  /// Whether the answer is sound, images or a transcript. Before the answer, only its estimate is
  /// known.
  public var isMedia: Bool {
    switch operation {
    case .speech, .transcription, .translation, .image: true
    default: false
    }
  }
}
