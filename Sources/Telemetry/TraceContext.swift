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
