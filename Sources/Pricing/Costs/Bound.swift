public import Money

/// The upper bounds of a request's use, as far as the request shows them.
public struct BoundRequest: Hashable, Sendable {
  /// The most input tokens that are neither image nor audio.
  public var textInputTokens: Int64
  public var imageInputTokens: Int64
  public var audioInputTokens: Int64
  /// The request's own output limit for one choice, in tokens; nil if it sets none. 0 for
  /// operations whose answers have no tokens.
  public var outputLimit: Int64?
  /// The number of answers requested; at least one.
  public var choices: Int64
  /// Whether the answer may have audio.
  public var hasAudioOutput: Bool
  public var hasImageOutput: Bool
  public var audioMilliseconds: Int64
  public var characters: Int64
  public var images: Int64
  /// The most calls that are billed separately from tokens.
  public var calls: Int64
  /// Whether the input may be written to the provider's cache for twelve hours.
  public var mayCacheLong: Bool

  /// Creates a request. No count may be negative.
  public init(
    textInputTokens: Int64 = 0, imageInputTokens: Int64 = 0, audioInputTokens: Int64 = 0,
    outputLimit: Int64?, choices: Int64 = 1, hasAudioOutput: Bool = false,
    hasImageOutput: Bool = false, audioMilliseconds: Int64 = 0, characters: Int64 = 0,
    images: Int64 = 0, calls: Int64 = 0, mayCacheLong: Bool = true
  ) {
    self.textInputTokens = textInputTokens
    self.imageInputTokens = imageInputTokens
    self.audioInputTokens = audioInputTokens
    self.outputLimit = outputLimit
    self.choices = choices
    self.hasAudioOutput = hasAudioOutput
    self.hasImageOutput = hasImageOutput
    self.audioMilliseconds = audioMilliseconds
    self.characters = characters
    self.images = images
    self.calls = calls
    self.mayCacheLong = mayCacheLong
  }

  var inputTokens: Int64 {
    textInputTokens.addingClamped(imageInputTokens).addingClamped(audioInputTokens)
  }
}

/// Upper bounds of a request's use and cost, at the highest prices that it can reach.
public struct Bound: Hashable, Sendable {
  public let inputTokens: Int64
  /// Upper bound of all costs except the output's.
  public let fixedCost: ExactAmount
  /// Upper bound of the cost of one output token.
  public let outputTokenCost: ExactAmount
  /// The most output tokens of one choice: the request's own limit, or the model's.
  public let largestOutput: Int64
  /// The number of answers requested. Each may have up to `largestOutput` tokens.
  public let choices: Int64

  init(
    inputTokens: Int64, fixedCost: ExactAmount, outputTokenCost: ExactAmount,
    largestOutput: Int64, choices: Int64
  ) {
    self.inputTokens = inputTokens
    self.fixedCost = fixedCost
    self.outputTokenCost = outputTokenCost
    self.largestOutput = largestOutput
    self.choices = choices
  }

  /// Creates the bound of a request that is free by policy. Its tokens count nevertheless.
  public init(withoutCost request: BoundRequest) {
    self.init(
      inputTokens: request.inputTokens, fixedCost: .zero, outputTokenCost: .zero,
      largestOutput: request.outputLimit ?? PricedModel.assumedLargestOutput,
      choices: request.choices)
  }

  /// Returns the bound with a markup on its prices.
  public func with(_ markup: Markup) -> Bound {
    if markup == .none { return self }
    return Bound(
      inputTokens: inputTokens, fixedCost: fixedCost.with(markup),
      outputTokenCost: outputTokenCost.with(markup), largestOutput: largestOutput,
      choices: choices)
  }

  /// Returns the bound that costs more if the answer has this bound's largest output.
  public func dearer(_ other: Bound) -> Bound {
    other.cost(output: largestOutput) > cost(output: largestOutput) ? other : self
  }

  /// Returns all tokens if each choice has at most `output` tokens.
  public func tokens(output: Int64) -> Int64 {
    inputTokens.addingClamped(output.multipliedClamped(by: choices))
  }

  /// Returns the whole cost if each choice has at most `output` tokens.
  public func cost(output: Int64) -> ExactAmount {
    fixedCost + outputTokenCost * output.multipliedClamped(by: choices)
  }
}
