internal import Pricing

/// A kind of tokens with its own column in `usage_logs`. Totals include their parts.
public enum TokenKind: Int, Sendable, Hashable, CaseIterable {
  case input, cachedInput, cacheWrite, audioInput, imageInput
  case output, reasoning, audioOutput, imageOutput

  /// The kind's name in metrics.
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

  /// The kind's column in `usage_logs` and `usage_totals`.
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
    case .audioInput: usage.totalAudioInputTokens
    case .imageInput: usage.imageInputTokens
    case .output: usage.outputTokens
    case .reasoning: usage.reasoningTokens
    case .audioOutput: usage.audioOutputTokens
    case .imageOutput: usage.imageOutputTokens
    }
  }
}

/// The sums of rows. A sum stops at the largest integer.
public struct UsageSums: Sendable {
  public private(set) var requests: Int64 = 0
  /// The clients' charges.
  public private(set) var costNanoUSD: Int64 = 0
  /// The providers' charges minus `costNanoUSD`; negative if providers charge less.
  private var providerDifference: Int64 = 0
  /// Rows that used more than their hold.
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

  /// The providers' charges.
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

  /// The sums with the opposite sign, for removal.
  var negated: UsageSums { UsageSums { -values[$0] } }

  // MARK: As `usage_totals` has them

  /// The columns in the order of `values`.
  static let columns =
    ["requests", "cost_nano_usd", "overruns"] + TokenKind.allCases.map(\.column)
    + [providerDifferenceColumn]
  /// The column that may be negative.
  static let providerDifferenceColumn = "provider_difference_nano_usd"

  /// The expression for a row of `usage_logs`, for each of `columns`.
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

  /// - Parameter value: Returns the value at an index of `columns`.
  init(value: (Int) -> Int64) {
    requests = value(0)
    costNanoUSD = value(1)
    overruns = value(2)
    for kind in TokenKind.allCases { tokens[kind.rawValue] = value(3 + kind.rawValue) }
    providerDifference = value(3 + TokenKind.allCases.count)
  }
}
