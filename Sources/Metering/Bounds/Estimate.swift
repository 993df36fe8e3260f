public import Pricing

/// Usage estimated from what was sent and received, for answers that report none.
public enum Estimate {
  /// What providers put around a message, as if it were text: four tokens as a rule.
  static let bytesPerMessage: Int64 = 16
  static let tokensPerImage: Int64 = 800
  static let tokensPerLowDetailImage: Int64 = 85
  static let audioTokensPerSecond: Int64 = 10

  /// About what a request used. The input is at least 1 token, and so is the output if any text
  /// of it was received. Reasoning that isn't shown is in it as far as `rates` know of it.
  ///
  /// - Parameters:
  ///   - outputTextBytes: as in `UsageReport`.
  ///   - outputAudioTokens: as in `UsageReport`.
  ///   - generatedTokens: output that the model may have made in the time that it had, whether or
  ///     not any of it was received. The output is at least this.
  ///   - rates: of the model.
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
  /// About how many input tokens the request has, of all kinds; at least 1.
  public func estimatedInputTokens(by rates: TokenRates) -> Int64 {
    let text = rates.input.tokens(ofBytes: estimatedTextBytes) + input.tokens
    let images =
      input.images * Estimate.tokensPerImage
      + input.lowDetailImages * Estimate.tokensPerLowDetailImage
    return max(1, text + images + estimatedAudioTokens)
  }

  /// Bytes of the text that the model reads, with what is put around its messages.
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

  /// Whether the answer is sound, images or what was spoken: its estimate is all that is known of
  /// it beforehand.
  public var isMedia: Bool {
    switch operation {
    case .speech, .transcription, .translation, .image: true
    default: false
    }
  }
}
