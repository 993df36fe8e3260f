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
    let output = TokenFamily.of(model: facts.model).tokens(bytes: outputTextBytes)
    let input = facts.estimatedInputTokens
    return Usage(
      inputTokens: min(input, Usage.largestCount),
      outputTokens: min(output, Usage.largestCount)) ?? .zero
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
    let audio = (input.audioMilliseconds * Estimate.audioTokensPerSecond + 999) / 1000
    return max(1, text + frame + images + audio)
  }
}
