public import JSON

/// Meters an answer that isn't a stream.
public enum AnswerMeter {
  /// Reads a whole answer body. One that isn't a JSON object is reported as unreadable.
  ///
  /// - Parameter parser: what parses the body; earlier values of it end to hold.
  public static func read(_ body: [UInt8], endpoint: Endpoint, parser: JSONParser) -> UsageReport {
    switch endpoint.answer {
    case .chatCompletion:
      var answer = ChatAnswer()
      do {
        let root = try parser.parse(body)
        if root.kind == .object { answer.read(root) } else { answer.noteUnreadable() }
      } catch {
        answer.noteUnreadable()
      }
      return answer.report
    }
  }
}
