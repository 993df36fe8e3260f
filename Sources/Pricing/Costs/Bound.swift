public import Money

/// What a request shows of how much it can use.
public struct BoundRequest: Hashable, Sendable {
  /// The most tokens of input that is neither image nor audio.
  public var textInputTokens: Int64
  public var imageInputTokens: Int64
  public var audioInputTokens: Int64
  /// The limit that the request sets itself, for one choice; nil where it sets none, 0 for
  /// operations whose answer has no tokens.
  public var outputLimit: Int64?
  /// How many answers are asked for, at least one.
  public var choices: Int64
  /// Whether the answer may have audio, or images in tokens.
  public var hasAudioOutput: Bool
  public var hasImageOutput: Bool
  public var audioMilliseconds: Int64
  public var characters: Int64
  public var images: Int64
  /// The most calls that are billed outside tokens.
  public var calls: Int64

  /// No count may be negative.
  public init(
    textInputTokens: Int64 = 0, imageInputTokens: Int64 = 0, audioInputTokens: Int64 = 0,
    outputLimit: Int64?, choices: Int64 = 1, hasAudioOutput: Bool = false,
    hasImageOutput: Bool = false, audioMilliseconds: Int64 = 0, characters: Int64 = 0,
    images: Int64 = 0, calls: Int64 = 0
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
  }

  var inputTokens: Int64 {
    textInputTokens.addingClamped(imageInputTokens).addingClamped(audioInputTokens)
  }
}

/// The most that a request can use and cost, at the highest prices that it can reach.
public struct Bound: Hashable, Sendable {
  public let inputTokens: Int64
  /// What everything but the output can cost.
  public let fixedCost: ExactAmount
  /// What one token of output can cost.
  public let outputTokenCost: ExactAmount
  /// The most output tokens of one choice: the request's own limit, else the model's.
  public let largestOutput: Int64
  /// How many answers are asked for; each may have so much output.
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

  /// The bound of a request that costs nothing by policy: its tokens count all the same.
  public init(withoutCost request: BoundRequest) {
    self.init(
      inputTokens: request.inputTokens, fixedCost: .zero, outputTokenCost: .zero,
      largestOutput: request.outputLimit ?? PricedModel.assumedLargestOutput,
      choices: request.choices)
  }

  /// The same at prices with a markup.
  public func with(_ markup: Markup) -> Bound {
    if markup == .none { return self }
    return Bound(
      inputTokens: inputTokens, fixedCost: fixedCost.with(markup),
      outputTokenCost: outputTokenCost.with(markup), largestOutput: largestOutput,
      choices: choices)
  }

  /// Which of two bounds costs more, if the answer has as much output as this one allows.
  public func dearer(_ other: Bound) -> Bound {
    other.cost(output: largestOutput) > cost(output: largestOutput) ? other : self
  }

  /// All tokens, where each choice has at most `output`.
  public func tokens(output: Int64) -> Int64 {
    inputTokens.addingClamped(output.multipliedClamped(by: choices))
  }

  /// All cost, where each choice has at most `output` tokens.
  public func cost(output: Int64) -> ExactAmount {
    fixedCost + outputTokenCost * output.multipliedClamped(by: choices)
  }
}
