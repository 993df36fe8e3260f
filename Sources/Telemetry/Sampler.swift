/// Which requests are traced: `OTEL_TRACES_SAMPLER`.
struct Sampler: Hashable, Sendable {
  /// Whether the caller's decision stands, where it has made one.
  private let followsParent: Bool
  /// Of the traces that nobody has decided on, those whose number lies below; nil: all.
  private let bound: UInt64?

  static let parentBasedAlwaysOn = Sampler(followsParent: true, bound: nil)

  /// What `OTEL_TRACES_SAMPLER` may be.
  static let names = [
    "always_on", "always_off", "traceidratio", "parentbased_always_on", "parentbased_always_off",
    "parentbased_traceidratio",
  ]
  /// What `OTEL_TRACES_SAMPLER_ARG` may be.
  static let ratios = 0.0...1.0

  private init(followsParent: Bool, bound: UInt64?) {
    self.followsParent = followsParent
    self.bound = bound
  }

  /// - Parameters:
  ///   - name: one of `names`; nil for anything else.
  ///   - ratio: in `ratios`: the share of traces that are recorded, for the samplers that ask.
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

  /// - Parameter traceLow: the lower half of the trace's id, by which all who take part in a trace
  ///   decide alike.
  func samples(traceLow: UInt64, parent: TraceContext?) -> Bool {
    if followsParent, let parent { return parent.isSampled }
    guard let bound else { return true }
    return traceLow >> 1 < bound
  }
}
