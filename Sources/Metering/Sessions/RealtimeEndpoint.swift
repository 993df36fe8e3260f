// The entries of one WebSocket's work: its responses, and its transcriptions. Another model makes
// the transcriptions at its own price.

import Pricing

extension Endpoints {
  public static let realtime = Endpoint(
    method: "GET", path: "/v1/realtime", operation: .realtime, request: .events,
    output: .byModel, answer: RealtimeAnswer.self)

  public static let realtimeTranscription = Endpoint(
    method: "GET", path: "/v1/realtime", operation: .transcription, request: .events,
    output: .none, answer: TranscriptionAnswer.self)
}

extension Endpoint {
  /// Whether the endpoint is used over a WebSocket, event by event.
  public var isWebSocket: Bool {
    if case .events = request { true } else { false }
  }
}
