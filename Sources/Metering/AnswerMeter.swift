public import JSON

/// Meters an answer that isn't a stream.
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

  /// Reads a whole answer body. One that isn't a JSON object is reported as unreadable.
  ///
  /// - Parameters:
  ///   - status: of the answer. From 400 on it is an error, which only says what went wrong.
  ///   - parser: what parses the body; earlier values of it end to hold.
  public static func read(
    _ body: [UInt8], status: Int = 200, to facts: RequestFacts, endpoint: Endpoint,
    parser: JSONParser
  ) -> UsageReport {
    var answer: any AnswerReader =
      status >= 400 ? ErrorAnswer(for: facts) : endpoint.answer.init(for: facts)
    do {
      let root = try parser.parse(body)
      if root.kind == .object { answer.read(answer: root) } else { answer.noteUnreadable() }
    } catch {
      answer.noteUnreadable()
    }
    return answer.report
  }
}
