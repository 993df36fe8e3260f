/// The choice of requests to trace: `OTEL_TRACES_SAMPLER`.
struct Sampler: Hashable, Sendable {
  /// Whether the caller's decision applies, if it has made one.
  private let followsParent: Bool
  /// For traces without a decision: the bound below which a trace's number is sampled; nil samples
  /// all.
  private let bound: UInt64?

  static let parentBasedAlwaysOn = Sampler(followsParent: true, bound: nil)

  /// The allowed values of `OTEL_TRACES_SAMPLER`.
  static let names = [
    "always_on", "always_off", "traceidratio", "parentbased_always_on", "parentbased_always_off",
    "parentbased_traceidratio",
  ]
  /// The allowed values of `OTEL_TRACES_SAMPLER_ARG`.
  static let ratios = 0.0...1.0

  private init(followsParent: Bool, bound: UInt64?) {
    self.followsParent = followsParent
    self.bound = bound
  }

  /// - Parameters:
  ///   - name: One of `names`; the result is nil for any other.
  ///   - ratio: In `ratios`: the share of traces to record, for samplers that use it.
  init?(name: String, ratio: Double) {
    guard Sampler.names.contains(name) else { return nil }
    let prefix = "parentbased_"
    let followsParent = name.hasPrefix(prefix)
    switch followsParent ? String(name.dropFirst(prefix.count)) : name {
    case "always_off": self.init(followsParent: followsParent, bound: 0)
    case "traceidratio" where ratio < 1:
      self.init(followsParent: followsParent, bound: UInt64(ratio * 0x1p63))
    default: self.init(followsParent: followsParent, bound: nil)
    }
  }

  /// - Parameter traceLow: The lower half of the trace's ID, by which all participants of a trace
  ///   decide in the same way.
  func samples(traceLow: UInt64, parent: TraceContext?) -> Bool {
    if followsParent, let parent { return parent.isSampled }
    guard let bound else { return true }
    return traceLow >> 1 < bound
  }
}
