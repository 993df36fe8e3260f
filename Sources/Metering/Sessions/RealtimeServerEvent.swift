public import JSON
import Pricing

/// An event that a provider sends in a realtime session: what of it matters to metering.
public enum RealtimeServerEvent: Sendable, Hashable {
  /// How the session now is: which model writes down what was said, and what limits the output.
  case session(transcription: RealtimeClientEvent.Transcription, RealtimeClientEvent.OutputLimit)
  /// A response has begun, by whomever it was asked for.
  case responseCreated(id: String)
  /// A piece of a response.
  case responseDelta(id: String)
  /// - Parameter isOutOfBand: whether it had an input of its own instead of the conversation's.
  case responseDone(id: String, isOutOfBand: Bool)
  /// Sound is complete that is to be written down, where it is.
  case audioCommitted
  case transcribed(UsageReport)
  case transcriptionFailed
  /// No response comes of what the client asked for.
  ///
  /// - Parameter eventID: the client's own name for the event that is refused.
  case error(code: String?, eventID: String?)
  case other

  /// Reads an event.
  ///
  /// - Parameters:
  ///   - root: the event; it may be read on by a `RealtimeMeter`.
  public static func read(_ root: JSONValue) -> RealtimeServerEvent {
    guard let type = root["type"]?.string else { return .other }
    switch type {
    case "session.created", "session.updated":
      return root["session"].map(session) ?? .other
    case "response.created":
      return .responseCreated(id: root["response"]?["id"]?.string ?? "")
    case "response.done":
      let response = root["response"]
      return .responseDone(
        id: response?["id"]?.string ?? "",
        isOutOfBand: response?["conversation_id"]?.isNull ?? false)
    case "input_audio_buffer.committed": return .audioCommitted
    case "conversation.item.input_audio_transcription.completed":
      var answer = TranscriptionAnswer(for: RequestFacts(operation: .transcription, model: ""))
      answer.read(answer: root)
      return .transcribed(answer.report)
    case "conversation.item.input_audio_transcription.failed": return .transcriptionFailed
    case "error":
      let error = root["error"]
      return .error(code: error?["code"]?.string, eventID: error?["event_id"]?.string)
    default:
      return type.hasPrefix("response.") && type.hasSuffix(".delta")
        ? .responseDelta(id: root["response_id"]?.string ?? "") : .other
    }
  }

  private static func session(_ session: JSONValue) -> RealtimeServerEvent {
    let transcription =
      session["audio"]?["input"]?["transcription"] ?? session["input_audio_transcription"]
    let limit = session["max_output_tokens"] ?? session["max_response_output_tokens"]
    return .session(
      transcription: (transcription?["model"]?.string).map { .by(model: $0) } ?? .none,
      limit?.integer.map { .tokens($0) } ?? .model)
  }
}

/// Meters one response of a realtime session by its events.
public struct RealtimeMeter: Sendable {
  private var answer: RealtimeAnswer

  public init() {
    answer = RealtimeAnswer(for: RequestFacts(operation: .realtime, model: ""))
  }

  public mutating func read(_ root: JSONValue) {
    _ = answer.read(event: root)
  }

  /// What was used, as far as the events so far say.
  public var report: UsageReport { answer.report }
}
