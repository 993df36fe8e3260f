internal import Pricing

/// A model's ratio of tokens to bytes of text.
///
/// It starts with the ratio of the model's family, and follows the provider's reports. Old texts
/// fade: the ratio covers at most `remembered` bytes.
struct TokenRate: Sendable, Hashable {
  private var bytes: Int64
  private var tokens: Int64

  /// The weight of the family's ratio against the learned texts.
  private static let priorTokens: Int64 = 400
  private static let remembered: Int64 = 1 << 20
  /// Hidden reasoning counts as output, so a few bytes may stand for many tokens.
  private static let mostTokensPerByte: Int64 = 64

  init(_ family: TokenFamily) {
    tokens = TokenRate.priorTokens
    bytes = TokenRate.priorTokens * family.tenthsOfBytesPerToken / 10
  }

  /// Learns from a text; both figures are zero or more. An empty text teaches nothing.
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

  /// Returns the approximate number of tokens of a text; at least one if it isn't empty.
  func tokens(ofBytes count: Int64) -> Int64 {
    let product = Int128(count) * Int128(tokens) + Int128(bytes - 1)
    return Int64(clamping: product / Int128(bytes))
  }
}

/// A model's ratios of tokens to bytes, for its input and its output.
public struct TokenRates: Sendable, Hashable {
  private(set) var input: TokenRate
  /// The output's ratio: its tokens include hidden reasoning, its bytes are only the visible text.
  private(set) var output: TokenRate

  /// Starts with the ratio of the model's family.
  public init(model: String) {
    let family = TokenFamily.of(model: model)
    input = TokenRate(family)
    output = TokenRate(family)
  }

  /// Learns from a request whose usage the provider reported.
  public mutating func learn(from texts: MeasuredTexts) {
    input.learn(tokens: texts.inputTokens, ofBytes: texts.inputBytes)
    output.learn(tokens: texts.outputTokens, ofBytes: texts.outputBytes)
  }
}
