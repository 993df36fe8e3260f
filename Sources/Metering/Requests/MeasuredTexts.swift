import Pricing

/// The sizes of a request's and an answer's texts, and the tokens that the provider counted for
/// them.
public struct MeasuredTexts: Sendable, Hashable {
  /// As in `RequestFacts.estimatedTextBytes`; 0 if the tokens include more than that text.
  public var inputBytes: Int64
  public var inputTokens: Int64
  /// As in `UsageReport.outputTextBytes`.
  public var outputBytes: Int64
  public var outputTokens: Int64

  public init(inputBytes: Int64, inputTokens: Int64, outputBytes: Int64, outputTokens: Int64) {
    self.inputBytes = inputBytes
    self.inputTokens = inputTokens
    self.outputBytes = outputBytes
    self.outputTokens = outputTokens
  }

  /// Returns nil if the answer reported no usage of its own model, or isn't complete.
  public init?(of facts: RequestFacts, _ report: UsageReport) {
    guard let usage = report.usage, report.breakdown.isEmpty, !report.isError,
      !report.isUnreadable
    else { return nil }
    switch facts.operation {
    case .chat, .responses, .completion, .embedding: break
    default: return nil
    }
    self.init(
      inputBytes: facts.input.isTextOnly ? facts.estimatedTextBytes : 0,
      inputTokens: usage.inputTokens, outputBytes: report.outputTextBytes,
      outputTokens: usage.textOutputTokens + usage.reasoningTokens)
  }
}

extension InputSize {
  /// Whether the model reads only text that is in the request.
  fileprivate var isTextOnly: Bool {
    !isOpenEnded && tokens == 0 && images == 0 && lowDetailImages == 0 && audioMilliseconds == 0
  }
}
