internal import Pricing

/// How many tokens a model makes of a text.
///
/// It begins with what is usual in the model's family, and follows what the provider reports. Old
/// texts fade: what is remembered is never more than `remembered` bytes.
struct TokenRate: Sendable, Hashable {
  private var bytes: Int64
  private var tokens: Int64

  /// How much the family's rate weighs beside what is learned.
  private static let priorTokens: Int64 = 400
  private static let remembered: Int64 = 1 << 20
  /// Reasoning that isn't shown counts as output, so a few bytes may stand for many tokens.
  private static let mostTokensPerByte: Int64 = 64

  init(_ family: TokenFamily) {
    tokens = TokenRate.priorTokens
    bytes = TokenRate.priorTokens * family.tenthsOfBytesPerToken / 10
  }

  /// Takes in a text of so many bytes, both at least zero; an empty one teaches nothing.
  mutating func learn(tokens newTokens: Int64, ofBytes newBytes: Int64) {
    guard newBytes > 0, newTokens > 0 else { return }
    let weight = min(newBytes, TokenRate.remembered)
    let counted =
      Int128(min(newTokens, newBytes.multipliedClamped(by: TokenRate.mostTokensPerByte)))
      * Int128(weight) / Int128(newBytes)
    bytes += weight
    tokens += Int64(counted)
    while bytes > TokenRate.remembered {
      bytes = (bytes + 1) / 2
      tokens = (tokens + 1) / 2
    }
  }

  /// About how many tokens a text has; at least one if it isn't empty.
  func tokens(ofBytes count: Int64) -> Int64 {
    let product = Int128(count) * Int128(tokens) + Int128(bytes - 1)
    return Int64(clamping: product / Int128(bytes))
  }
}

/// How many tokens a model makes of what it reads and of what it writes.
public struct TokenRates: Sendable, Hashable {
  private(set) var input: TokenRate
  /// Of the text that is seen; reasoning that isn't is in the tokens.
  private(set) var output: TokenRate

  /// What is usual in the model's family.
  public init(model: String) {
    let family = TokenFamily.of(model: model)
    input = TokenRate(family)
    output = TokenRate(family)
  }

  /// Takes in what a provider reported of a request.
  public mutating func learn(from texts: MeasuredTexts) {
    input.learn(tokens: texts.inputTokens, ofBytes: texts.inputBytes)
    output.learn(tokens: texts.outputTokens, ofBytes: texts.outputBytes)
  }
}
