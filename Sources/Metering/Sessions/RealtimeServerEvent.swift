public import JSON
import Pricing

/// The facts of a provider's event in a realtime session that matter to metering.
public enum RealtimeServerEvent: Sendable, Hashable {
  /// The session's current settings: the model that transcribes, and the output limit.
  case session(transcription: RealtimeClientEvent.Transcription, RealtimeClientEvent.OutputLimit)
  /// A response has begun, requested by the client or by the provider.
  case responseCreated(id: String)
  /// A piece of a response.
  case responseDelta(id: String)
  /// - Parameter isOutOfBand: Whether the response had its own input instead of the conversation's.
  case responseDone(id: String, isOutOfBand: Bool)
  /// A sound is complete, and is transcribed if transcription is on.
  case audioCommitted
  case transcribed(UsageReport)
  case transcriptionFailed
  /// The client's request produces no response.
  ///
  /// - Parameter eventID: The client's own name for the refused event.
  case error(code: String?, eventID: String?)
  /// A piece of something else, such as of a transcription.
  case delta
  /// The event has its type twice, so that readers of JSON disagree on what it is.
  case ambiguous
  case other

  /// Whether the event may be the first one that shows an item or a response. A piece of a response
  /// or of a transcription never is.
  public var showsObjects: Bool {
    switch self {
    case .responseDelta, .delta: false
    default: true
    }
  }

  /// Reads an event.
  ///
  /// - Parameters:
  ///   - root: The event. A `RealtimeMeter` may also read it.
  public static func read(_ root: JSONValue) -> RealtimeServerEvent {
    guard root.members.reduce(0, { $1.hasKey("type") ? $0 + 1 : $0 }) < 2 else {
      return .ambiguous
    }
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
      answer.meter(answer: root)
      return .transcribed(answer.report)
    case "conversation.item.input_audio_transcription.failed": return .transcriptionFailed
    case "error":
      let error = root["error"]
      return .error(code: error?["code"]?.string, eventID: error?["event_id"]?.string)
    default:
      guard type.hasSuffix(".delta") else { return .other }
      return type.hasPrefix("response.")
        ? .responseDelta(id: root["response_id"]?.string ?? "") : .delta
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
    _ = answer.meter(event: root)
  }

  /// Notes that an event of the response can't be read.
  public mutating func noteUnreadable() {
    answer.noteUnreadable()
  }

  /// The usage so far.
  public var report: UsageReport { answer.report }
}
