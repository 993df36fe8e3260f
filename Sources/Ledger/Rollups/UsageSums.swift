internal import Pricing

/// A kind of tokens that is counted by itself: a column of `usage_logs`, where totals contain their
/// parts.
public enum TokenKind: Int, Sendable, Hashable, CaseIterable {
  case input, cachedInput, cacheWrite, audioInput, imageInput
  case output, reasoning, audioOutput, imageOutput

  /// What metrics call it.
  public var name: StaticString {
    switch self {
    case .input: "input"
    case .cachedInput: "cached_input"
    case .cacheWrite: "cache_write"
    case .audioInput: "audio_input"
    case .imageInput: "image_input"
    case .output: "output"
    case .reasoning: "reasoning"
    case .audioOutput: "audio_output"
    case .imageOutput: "image_output"
    }
  }

  /// Its column, in `usage_logs` and in `usage_totals`.
  var column: String {
    switch self {
    case .input: "prompt_tokens"
    case .cachedInput: "cached_tokens"
    case .cacheWrite: "cache_write_tokens"
    case .audioInput: "audio_input_tokens"
    case .imageInput: "image_input_tokens"
    case .output: "completion_tokens"
    case .reasoning: "reasoning_tokens"
    case .audioOutput: "audio_output_tokens"
    case .imageOutput: "image_output_tokens"
    }
  }

  func count(in usage: Usage) -> Int64 {
    switch self {
    case .input: usage.inputTokens
    case .cachedInput: usage.cachedInputTokens
    case .cacheWrite: usage.cacheWriteTokens + usage.cacheWriteLongTokens
    case .audioInput: usage.audioInputTokens
    case .imageInput: usage.imageInputTokens
    case .output: usage.outputTokens
    case .reasoning: usage.reasoningTokens
    case .audioOutput: usage.audioOutputTokens
    case .imageOutput: usage.imageOutputTokens
    }
  }
}

/// What rows used together. Sums stop at the largest integer.
public struct UsageSums: Sendable {
  public private(set) var requests: Int64 = 0
  /// What clients were charged.
  public private(set) var costNanoUSD: Int64 = 0
  /// What the providers' costs are more than `costNanoUSD`, or less where it is negative.
  private var providerDifference: Int64 = 0
  /// Rows that used more than was held for them.
  public private(set) var overruns: Int64 = 0
  private var tokens = InlineArray<9, Int64>(repeating: 0)

  public init() {}

  init(of row: UsageRow) {
    requests = 1
    costNanoUSD = row.costNanoUSD
    providerDifference = row.providerDifference
    overruns = row.overrunTokens > 0 || row.overrunNanoUSD > 0 ? 1 : 0
    for kind in TokenKind.allCases { tokens[kind.rawValue] = kind.count(in: row.usage) }
  }

  /// What providers charge.
  public var providerCostNanoUSD: Int64 {
    max(0, costNanoUSD.addingSaturated(providerDifference))
  }

  public func tokens(_ kind: TokenKind) -> Int64 { tokens[kind.rawValue] }

  public static func += (sums: inout UsageSums, other: UsageSums) {
    sums.requests = sums.requests.addingSaturated(other.requests)
    sums.costNanoUSD = sums.costNanoUSD.addingSaturated(other.costNanoUSD)
    sums.providerDifference =
      sums.providerDifference.addingSaturated(other.providerDifference)
    sums.overruns = sums.overruns.addingSaturated(other.overruns)
    for place in sums.tokens.indices {
      sums.tokens[place] = sums.tokens[place].addingSaturated(other.tokens[place])
    }
  }

  /// The same below zero: what is taken back.
  var negated: UsageSums { UsageSums { -values[$0] } }

  // MARK: As `usage_totals` has them

  /// In the order of `values`.
  static let columns =
    ["requests", "cost_nano_usd", "overruns"] + TokenKind.allCases.map(\.column)
    + [providerDifferenceColumn]
  /// The one that may be negative.
  static let providerDifferenceColumn = "provider_difference_nano_usd"

  /// What `usage_logs` has for each of `columns`: sums of one row.
  static let columnsOfRow =
    [
      "1", "cost_nano_usd",
      "CASE WHEN overrun_tokens > 0 OR overrun_nano_usd > 0 THEN 1 ELSE 0 END",
    ]
    + TokenKind.allCases.map(\.column) + [UsageRow.providerDifferenceColumn]

  var values: [Int64] {
    [requests, costNanoUSD, overruns] + TokenKind.allCases.map { tokens($0) }
      + [providerDifference]
  }

  /// - Parameter value: gives what stands at a place of `columns`.
  init(value: (Int) -> Int64) {
    requests = value(0)
    costNanoUSD = value(1)
    overruns = value(2)
    for kind in TokenKind.allCases { tokens[kind.rawValue] = value(3 + kind.rawValue) }
    providerDifference = value(3 + TokenKind.allCases.count)
  }
}
