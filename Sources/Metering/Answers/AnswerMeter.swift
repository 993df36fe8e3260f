public import JSON

/// Meters an answer that isn't announced as a stream.
public enum AnswerMeter {
  /// Whether successful answers of the endpoint are bytes without usage. They needn't be read:
  /// `charge` returns their usage.
  public static func isOpaque(_ endpoint: Endpoint) -> Bool {
    endpoint.answer.isOpaque
  }

  /// Returns the usage of an opaque answer, which depends on its request alone.
  public static func charge(for facts: RequestFacts, endpoint: Endpoint) -> UsageReport {
    endpoint.answer.init(for: facts).report
  }

  /// Reads a whole answer body. The report is marked unreadable if the body is neither a JSON
  /// object nor the requested text.
  ///
  /// - Parameters:
  ///   - body: The body; nil if it can't be decoded.
  ///   - status: The answer's status. An answer with 400 or above is an error: only its error is
  ///     read.
  ///   - parser: The parser of the body. It invalidates values that it parsed before.
  public static func read(
    _ body: [UInt8]?, status: Int = 200, to facts: RequestFacts, endpoint: Endpoint,
    parser: JSONParser
  ) -> UsageReport {
    var answer: any AnswerReader =
      status >= 400 ? ErrorAnswer(for: facts) : endpoint.answer.init(for: facts)
    if let body, let root = try? parser.parse(body), root.kind == .object {
      answer.meter(answer: root)
    } else if !(body.map { answer.read(text: $0) } ?? false) {
      answer.noteUnreadable()
    }
    return answer.report
  }

  /// Reads a whole body that is a stream of events although it isn't announced as one.
  ///
  /// - Parameters:
  ///   - hidesUsage: As in `StreamMeter`.
  ///   - limit: The largest size of an event, in bytes.
  /// - Returns: The report, and the body as the client may see it. Nil if the body doesn't begin
  ///   like a stream of events.
  public static func read(
    events body: [UInt8], to facts: RequestFacts, endpoint: Endpoint, hidesUsage: Bool,
    parser: JSONParser, limit: Int
  ) -> (report: UsageReport, shown: [UInt8])? {
    guard beginsWithEvent(body) else { return nil }
    var meter = StreamMeter(
      endpoint: endpoint, facts: facts, hidesUsage: hidesUsage, parser: parser,
      largestEvent: limit)
    var (arrived, shown) = (body, [UInt8]())
    _ = meter.receive(&arrived, into: &shown)
    let end = meter.finish()
    meter.takeWithheld(into: &shown)
    var report = end.report
    report.isUnreadable = report.isUnreadable || end.isIncomplete
    return (report, shown)
  }

  /// Whether the body begins with a line of an event, or with a comment.
  private static func beginsWithEvent(_ body: [UInt8]) -> Bool {
    let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    var start = body.starts(with: byteOrderMark) ? body.dropFirst(byteOrderMark.count) : body[...]
    start = start.drop { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    return ["data:", "event:", "id:", "retry:", ":"].contains { start.starts(with: $0.utf8) }
  }
}

/// The end of a stream.
public struct StreamEnd: Sendable, Hashable {
  public internal(set) var report: UsageReport
  /// Whether the event that ends such streams has come.
  public internal(set) var hasTerminator: Bool
  /// Whether the body ended within an event.
  public internal(set) var isTorn: Bool
  /// Whether the stream had a readable event with data.
  public internal(set) var hasEvents: Bool

  /// Whether a complete body can't be understood, because it ended within an event or had none.
  public var isIncomplete: Bool { isTorn || !hasEvents }
}

extension UInt8 {
  /// Whether JSON allows this byte between its values.
  var isJSONSpace: Bool {
    self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") || self == UInt8(ascii: "\r")
      || self == UInt8(ascii: "\n")
  }
}
