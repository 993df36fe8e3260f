public import Pricing

/// Usage estimated from what was sent and received, for answers that report none.
public enum Estimate {
  static let tokensPerMessage: Int64 = 4
  static let tokensPerImage: Int64 = 800
  static let tokensPerLowDetailImage: Int64 = 85
  static let audioTokensPerSecond: Int64 = 10

  /// About what a request used. The input is at least 1 token, and so is the output if any text
  /// of it was received. Reasoning that isn't shown can't be seen, and isn't in it.
  ///
  /// - Parameter outputTextBytes: as in `UsageReport`.
  public static func usage(for facts: RequestFacts, outputTextBytes: Int64) -> Usage {
    let text = TokenFamily.of(model: facts.model).tokens(bytes: outputTextBytes)
    let media = facts.estimatedMediaTokens
    let output = min(text + media, Usage.largestCount)
    return Usage(
      inputTokens: min(facts.estimatedInputTokens, Usage.largestCount),
      audioInputTokens: facts.estimatedAudioMilliseconds > 0 ? facts.estimatedAudioTokens : 0,
      outputTokens: output,
      audioOutputTokens: facts.operation == .speech ? min(media, output) : 0,
      imageOutputTokens: facts.operation == .image ? min(media, output) : 0,
      audioMilliseconds: facts.estimatedAudioMilliseconds, characters: facts.characters,
      images: facts.images) ?? .zero
  }
}

extension RequestFacts {
  /// About how many input tokens the request has, of all kinds; at least 1.
  public var estimatedInputTokens: Int64 {
    let text = TokenFamily.of(model: model).tokens(bytes: input.textBytes) + input.tokens
    let frame = input.messages * Estimate.tokensPerMessage
    let images =
      input.images * Estimate.tokensPerImage
      + input.lowDetailImages * Estimate.tokensPerLowDetailImage
    return max(1, text + frame + images + estimatedAudioTokens)
  }

  var estimatedAudioTokens: Int64 {
    let sound =
      estimatedAudioMilliseconds > 0 ? estimatedAudioMilliseconds : input.audioMilliseconds
    return (sound * Estimate.audioTokensPerSecond + 999) / 1000
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
