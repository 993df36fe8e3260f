public import JSON

/// Meters an answer that isn't announced as a stream.
public enum AnswerMeter {
  /// Whether good answers of the endpoint are bytes that say nothing about usage. They needn't be
  /// read: `charge` has what they are charged.
  public static func isOpaque(_ endpoint: Endpoint) -> Bool {
    endpoint.answer.isOpaque
  }

  /// What an opaque answer is charged, by its request alone.
  public static func charge(for facts: RequestFacts, endpoint: Endpoint) -> UsageReport {
    endpoint.answer.init(for: facts).report
  }

  /// Reads a whole answer body. One that is neither a JSON object nor the text that was asked for
  /// is reported as unreadable.
  ///
  /// - Parameters:
  ///   - body: nil for one that can't be decoded.
  ///   - status: of the answer. From 400 on it is an error, which only says what went wrong.
  ///   - parser: what parses the body; earlier values of it end to hold.
  public static func read(
    _ body: [UInt8]?, status: Int = 200, to facts: RequestFacts, endpoint: Endpoint,
    parser: JSONParser
  ) -> UsageReport {
    var answer: any AnswerReader =
      status >= 400 ? ErrorAnswer(for: facts) : endpoint.answer.init(for: facts)
    if let body, let root = try? parser.parse(body), root.kind == .object {
      answer.read(answer: root)
    } else if !(body.map { answer.read(text: $0) } ?? false) {
      answer.noteUnreadable()
    }
    return answer.report
  }

  /// Reads a whole body that is a stream of events, though it isn't announced as one.
  ///
  /// - Parameters:
  ///   - hidesUsage: as in `StreamMeter`.
  ///   - limit: how many bytes an event may have.
  /// - Returns: the report, and the body as the client may see it; nil where the body doesn't begin
  ///   as streams of events do.
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

  /// Whether a line of an event, or a comment, comes first.
  private static func beginsWithEvent(_ body: [UInt8]) -> Bool {
    let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    var start = body.starts(with: byteOrderMark) ? body.dropFirst(byteOrderMark.count) : body[...]
    start = start.drop { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    return ["data:", "event:", "id:", "retry:", ":"].contains { start.starts(with: $0.utf8) }
  }
}
