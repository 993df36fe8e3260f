internal import Pricing

/// Bounds the input tokens of a request.
///
/// Text: a byte-level tokenizer never makes more tokens than bytes. Generous constants cover the
/// provider's additions (role markers, a tool preamble, hidden system text). Settlement detects an
/// overrun and raises the model's overhead.
extension RequestFacts {
  static let tokensPerRequest: Int64 = 100
  static let tokensPerMessage: Int64 = 8
  static let tokensPerPart: Int64 = 8
  static let tokensPerTool: Int64 = 16
  /// The provider's description of its own tool that the app runs, for example a shell. About 400
  /// tokens were observed.
  static let tokensPerDescribedTool: Int64 = 1_000
  /// Quotation marks, punctuation and indentation around a string, key or container.
  static let tokensPerNode: Int64 = 4
  /// The digits of a number: no number needs more when it is written out again.
  static let tokensPerNumber: Int64 = 24
  /// OpenAI counts ten tokens for each second of input sound; doubled for the bound.
  static let audioTokensPerSecond: Int64 = 20

  /// Upper bound of the input tokens of all kinds. Meaningless if `input.isOpenEnded`.
  public var boundInputTokens: Int64 {
    // Moderation is free, and no provider counts its tokens.
    if operation == .moderation { return 0 }
    let text = input.textBytes + input.tokens + input.nodes * Self.tokensPerNode
    let numbers = input.numbers * Self.tokensPerNumber
    let frame =
      Self.tokensPerRequest + input.messages * Self.tokensPerMessage
      + input.parts * Self.tokensPerPart + input.tools * Self.tokensPerTool
      + input.describedTools * Self.tokensPerDescribedTool
    return text + numbers + frame + boundImageTokens + boundAudioTokens
  }

  /// The images' part of `boundInputTokens`.
  public var boundImageTokens: Int64 {
    let bound = ImageTokens.bound(model: model)
    return input.images * bound.full + input.lowDetailImages * bound.low
  }

  /// The sound's part of `boundInputTokens`.
  public var boundAudioTokens: Int64 {
    (input.audioMilliseconds * Self.audioTokensPerSecond + 999) / 1000 + input.spareAudioTokens
  }

  /// Upper bound of a prediction's tokens that are billed as output, in addition to the output
  /// limit.
  public var boundPredictionTokens: Int64 { predictionBytes }
}

/// Upper bounds of the tokens of an image.
struct ImageTokens: Sendable {
  /// With the detail `low`.
  let low: Int64
  /// With any other detail.
  let full: Int64

  /// For models without a known bound.
  static let unknown = ImageTokens(low: 50_000, full: 50_000)

  static func bound(model: String) -> ImageTokens {
    OpenAI.imageTokens.first { model.hasPrefix($0.prefix) }?.tokens ?? unknown
  }
}
