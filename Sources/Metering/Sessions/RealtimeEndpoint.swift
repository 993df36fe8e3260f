// The entries of what is done over one WebSocket: its responses, and what it writes down of what
// was said, which another model does at its own price.

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
  /// Whether it is spoken to over a WebSocket, event by event.
  public var isWebSocket: Bool {
    if case .events = request { true } else { false }
  }
}
