/// The position of a span: W3C Trace Context, version 00.
public struct TraceContext: Hashable, Sendable {
  /// The two halves of the trace's ID, not both zero.
  let traceHigh: UInt64
  let traceLow: UInt64
  /// The span's ID, not zero.
  let spanID: UInt64
  /// Whether the trace is to be recorded, by the decision of its first participant.
  let isSampled: Bool

  init(traceHigh: UInt64, traceLow: UInt64, spanID: UInt64, isSampled: Bool) {
    precondition(traceHigh | traceLow != 0 && spanID != 0, "an id is never zero")
    self.traceHigh = traceHigh
    self.traceLow = traceLow
    self.spanID = spanID
    self.isSampled = isSampled
  }

  /// Parses a `traceparent`; nil if it must be ignored. Later versions are parsed as far as they
  /// equal this one.
  init?(traceparent text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count >= 4,
      let version = TraceContext.number(parts[0], digits: 2),
      version != 0xFF, version > 0 || parts.count == 4,
      parts[1].utf8.count == 32,
      let high = TraceContext.number(parts[1].prefix(16), digits: 16),
      let low = TraceContext.number(parts[1].suffix(16), digits: 16), high | low != 0,
      let span = TraceContext.number(parts[2], digits: 16), span != 0,
      let flags = TraceContext.number(parts[3], digits: 2)
    else { return nil }
    self.init(traceHigh: high, traceLow: low, spanID: span, isSampled: flags & 1 == 1)
  }

  /// The value of the header field: `00-TRACE-SPAN-01`.
  public var traceparent: String { "00-\(traceText)-\(spanText)-\(isSampled ? "01" : "00")" }

  /// The trace's ID: 32 hexadecimal digits.
  public var traceText: String {
    TraceContext.hexadecimal(traceHigh) + TraceContext.hexadecimal(traceLow)
  }

  /// The span's ID: 16 hexadecimal digits.
  var spanText: String { TraceContext.hexadecimal(spanID) }

  static func hexadecimal(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Accepts only digits and small letters, because the standard doesn't allow capital letters.
  private static func number(_ text: Substring, digits: Int) -> UInt64? {
    let isHexadecimal = text.utf8.allSatisfy {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
    }
    return text.utf8.count == digits && isHexadecimal ? UInt64(text, radix: 16) : nil
  }
}

/// The position of a request in its trace.
public struct TracePosition: Sendable {
  public let context: TraceContext
  /// The caller's span; nil if the trace begins here.
  let parentID: UInt64?
  /// The part of the caller's `tracestate` that is exported.
  let traceState: SpanText?

  /// Whether the caller's trace continues, so that its `tracestate` is passed on.
  public var continuesCaller: Bool { parentID != nil }

  public var isSampled: Bool { context.isSampled }
}

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
