internal import Pricing

/// The most input tokens that a request can use.
///
/// Text: a byte-level tokenizer never makes more tokens than bytes. What providers add around it
/// (role markers, a tool preamble, hidden system text) is covered by generous constants; an overrun
/// is noticed at settlement and raises a model's overhead there.
extension RequestFacts {
  static let tokensPerRequest: Int64 = 100
  static let tokensPerMessage: Int64 = 8
  static let tokensPerPart: Int64 = 8
  static let tokensPerTool: Int64 = 16
  /// What a provider says to the model of a tool of its own that the app runs, such as a shell:
  /// some 400 tokens were seen.
  static let tokensPerDescribedTool: Int64 = 1_000
  /// Quotation marks, punctuation and indentation around a string, key or container.
  static let tokensPerNode: Int64 = 4
  /// The digits of a number; none has more when it is written out again.
  static let tokensPerNumber: Int64 = 24
  /// OpenAI counts ten tokens a second of sound that it is given; doubled.
  static let audioTokensPerSecond: Int64 = 20

  /// The most input tokens, of all kinds; meaningless if `input.isOpenEnded`.
  public var boundInputTokens: Int64 {
    // It is free, and no provider counts its tokens.
    if operation == .moderation { return 0 }
    let text = input.textBytes + input.tokens + input.nodes * Self.tokensPerNode
    let numbers = input.numbers * Self.tokensPerNumber
    let frame =
      Self.tokensPerRequest + input.messages * Self.tokensPerMessage
      + input.parts * Self.tokensPerPart + input.tools * Self.tokensPerTool
      + input.describedTools * Self.tokensPerDescribedTool
    return text + numbers + frame + boundImageTokens + boundAudioTokens
  }

  /// The part of `boundInputTokens` that is images.
  public var boundImageTokens: Int64 {
    let bound = ImageTokens.bound(model: model)
    return input.images * bound.full + input.lowDetailImages * bound.low
  }

  /// The part of `boundInputTokens` that is sound.
  public var boundAudioTokens: Int64 {
    (input.audioMilliseconds * Self.audioTokensPerSecond + 999) / 1000 + input.spareAudioTokens
  }

  /// The most tokens of a prediction that can be billed as output, beyond the output limit.
  public var boundPredictionTokens: Int64 { predictionBytes }
}

/// How many tokens an image can take.
struct ImageTokens: Sendable {
  /// With the detail `low`.
  let low: Int64
  /// With any other detail.
  let full: Int64

  /// For models of which nothing is known.
  static let unknown = ImageTokens(low: 50_000, full: 50_000)

  static func bound(model: String) -> ImageTokens {
    OpenAI.imageTokens.first { model.hasPrefix($0.prefix) }?.tokens ?? unknown
  }
}
