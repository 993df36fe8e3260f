import JSON
import Pricing

/// A provider's usage object in normal form.
///
/// It is a class so that a waiting stream needs one word for it instead of all its counts.
final class ReportedUsage: Sendable {
  let usage: Usage
  /// Whether the counts contradicted each other and were adjusted.
  let isAdjusted: Bool
  /// The tokens by which the reported total exceeds input plus output. OpenAI's totals needn't be
  /// sums.
  let unlistedTokens: Int64

  /// The separately priced details that are read.
  static let details: Set<PricedQuantity> = [
    .cachedInput, .cacheWrite, .cacheWriteLong, .audioInput, .imageInput, .audioOutput,
    .imageOutput,
  ]

  /// The result of reading a usage object.
  enum Reading {
    /// The value isn't an object, or the object has no count of tokens.
    case absent
    /// The object has counts of tokens, but the input or the output can't be read.
    case unreadable
    case read(ReportedUsage)

    /// The usage; nil unless it could be read.
    var usage: ReportedUsage? {
      if case .read(let usage) = self { usage } else { nil }
    }

    var isUnreadable: Bool {
      if case .unreadable = self { true } else { false }
    }
  }

  /// Reads the usage of the image tool, which lists cached tokens beside its details.
  static func read(ofDrawing object: JSONValue?) -> Reading {
    read(object, cachedBesideDetails: true)
  }

  /// Reads a usage object.
  ///
  /// Example: `{"prompt_tokens":20}` is unreadable for a chat, because nobody knows its output.
  /// With `"total_tokens":60`, the output is 40. For embeddings, 20 input tokens are all.
  ///
  /// - Parameter hasOutput: Whether the object must tell the output: its count, or a total.
  static func read(
    _ object: JSONValue?, hasOutput: Bool = true, cachedBesideDetails: Bool = false
  ) -> Reading {
    guard let object, object.kind == .object else { return .absent }
    let stated = StatedTotals(object)
    guard stated.hasAny else { return .absent }
    guard let input = stated.input?.tokenCount,
      let output = stated.output(beside: input) ?? (hasOutput ? nil : 0),
      let usage = ReportedUsage(
        object, input, output, total: stated.total?.tokenCount ?? 0, cachedBesideDetails)
    else { return .unreadable }
    return .read(usage)
  }

  private init?(
    _ object: JSONValue, _ input: Int64, _ output: Int64, total: Int64,
    _ cachedBesideDetails: Bool
  ) {
    let inputDetails = Self.details(
      object, "prompt_tokens_details", "input_tokens_details", "input_token_details")
    let outputDetails = Self.details(
      object, "completion_tokens_details", "output_tokens_details", "output_token_details")
    var counts = ReportedCounts(input: input, output: output)
    counts.readInputDetails(inputDetails)
    if cachedBesideDetails { counts.readCached(object) }
    counts.readOutputDetails(outputDetails)
    counts.normalize()
    guard let usage = counts.usage else { return nil }
    self.usage = usage
    isAdjusted = counts.isAdjusted
    unlistedTokens = max(0, total - usage.totalTokens)
  }

  private static func details(_ object: JSONValue, _ names: StaticString...) -> JSONValue? {
    for name in names {
      if let details = object[name], details.kind == .object { return details }
    }
    return nil
  }
}

/// The members of a usage object that state its totals; nil for a missing or null one.
private struct StatedTotals {
  let input: JSONValue?
  let output: JSONValue?
  let total: JSONValue?

  init(_ object: JSONValue) {
    input = Self.stated(object, "prompt_tokens", "input_tokens")
    output = Self.stated(object, "completion_tokens", "output_tokens")
    total = Self.stated(object, "total_tokens")
  }

  var hasAny: Bool { input != nil || output != nil || total != nil }

  /// Returns the output count. Without a readable one, the total is the only evidence of the
  /// output; nil if the total doesn't tell it either.
  func output(beside input: Int64) -> Int64? {
    if let count = output?.tokenCount { return count }
    guard let total = total?.tokenCount, total >= input else { return nil }
    return total - input
  }

  private static func stated(_ object: JSONValue, _ names: StaticString...) -> JSONValue? {
    for name in names {
      if let value = object[name], !value.isNull { return value }
    }
    return nil
  }
}

extension JSONValue {
  /// A count of tokens; nil for anything else and for counts that are too large. Some providers
  /// write whole numbers with a fraction or an exponent: `200.0` and `2E2` are 200.
  var tokenCount: Int64? {
    if let integer { return (0...Usage.largestCount).contains(integer) ? integer : nil }
    guard let real, real >= 0, real <= Double(Usage.largestCount), real.rounded() == real
    else { return nil }
    return Int64(real)
  }
}
