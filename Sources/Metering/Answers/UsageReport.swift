public import Objects
public import Pricing

/// What an answer says about what it used.
public struct UsageReport: Sendable, Hashable {
  /// What the provider reported; nil if it reported nothing usable. With a `breakdown`, its sum.
  public internal(set) var usage: Usage?
  /// The model that answered, by which is billed; may be another one than was asked.
  public internal(set) var responseModel: String?
  /// The service tier that answered, by which is billed.
  public internal(set) var serviceTier: String?
  /// Whether the answer is an error, or turned into one midway.
  public internal(set) var isError = false
  /// Bytes of UTF-8 of all text in the answer, for estimates: content, visible reasoning, refusals,
  /// transcripts, tool calls.
  public internal(set) var outputTextBytes: Int64 = 0
  /// About how many tokens of sound there were in the answer, for estimates of those that come with
  /// their text.
  public internal(set) var outputAudioTokens: Int64 = 0
  /// What each of several models used, to be billed instead of `usage`; usually empty.
  public internal(set) var breakdown: [ModelUsage] = []
  /// Calls that are billed outside tokens, by name.
  public internal(set) var extraCalls: [ExtraCall] = []
  /// The containers whose sessions are among `extraCalls`, each once; those without an id are left
  /// out.
  public internal(set) var containers: [UsedContainer] = []
  /// Whether the provider's counts contradicted each other and were brought into line, at no lower
  /// charge.
  public internal(set) var isUsageAdjusted = false
  /// Whether the answer, or an event of it, wasn't what metering expects.
  public internal(set) var isUnreadable = false
  /// The work that the provider says it goes on with, or has ended; nil where an answer is all.
  public internal(set) var work: ProviderWork?

  /// What the provider keeps of the answer, and later requests can name; each once.
  public internal(set) var madeObjects: [MadeObject] = []

  /// Tokens that the reported total has beyond input and output.
  var unlistedTokens: Int64 = 0

  init() {}

  /// The same with all that is billed in `usage`, by what is peculiar to the provider.
  public func completed(by dialect: ProviderDialect) -> UsageReport {
    guard dialect.countsThoughtsInTotalOnly, let usage,
      let completed = usage.adding(reasoning: unlistedTokens)
    else { return self }
    var report = self
    report.usage = completed
    report.unlistedTokens = 0
    return report
  }
}

extension Usage {
  /// The same with so much more output that the model thought.
  fileprivate func adding(reasoning tokens: Int64) -> Usage? {
    guard let thoughts = Usage(outputTokens: tokens, reasoningTokens: tokens) else { return nil }
    return Usage.sum(of: [self, thoughts])
  }
}

/// What one model used for an answer that several models made.
public struct ModelUsage: Sendable, Hashable {
  public let model: String
  public let usage: Usage
}

/// Calls of one kind that are billed outside tokens.
public struct ExtraCall: Sendable, Hashable {
  /// What the provider calls it.
  public let name: String
  public internal(set) var count: Int64
  /// The name of its price among a pricing file's `surcharges`; nil for a kind that isn't known,
  /// which is charged the highest of them.
  public let surcharge: String?
}

extension [ExtraCall] {
  /// Counts one more call of a kind.
  mutating func add(_ name: String, surcharge: String?) {
    if let known = firstIndex(where: { $0.name == name }) {
      self[known].count += 1
    } else {
      append(ExtraCall(name: name, count: 1, surcharge: surcharge))
    }
  }
}
