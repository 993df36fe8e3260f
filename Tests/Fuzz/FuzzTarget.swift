/// The readers of untrusted bytes, each with the promises that hold for all bytes.
///
/// A broken promise ends the process, as a crash does; the fuzzer keeps the input.
enum FuzzTarget: String, CaseIterable {
  /// Heads of requests, as `HTTP` reads them from a socket.
  case request
  case chunked
  case events
  case webSocket = "websocket"
  case multipart
  /// The results of `Metering` for a request's body: facts, and the body that is sent instead.
  case facts
  /// Its results for an answer's body.
  case answer
  case stream
  /// The events of a realtime session, of both sides.
  case realtime
  /// The objects that requests name, and that answers make.
  case objects
  case audio
  /// Bodies with a `Content-Encoding`.
  case coded
  /// YAML, to settings or mistakes.
  case configuration

  func run(_ input: [UInt8]) {
    switch self {
    case .request: RequestHeads.check(input)
    case .chunked: ChunkedBodies.check(input)
    case .events: EventStreams.check(input)
    case .webSocket: WebSocketMessages.check(input)
    case .multipart: MultipartBodies.check(input)
    case .facts: RequestBodies.check(input)
    case .answer: AnswerBodies.check(input)
    case .stream: AnswerStreams.check(input)
    case .realtime: RealtimeEvents.check(input)
    case .objects: NamedObjects.check(input)
    case .audio: AudioFiles.check(input)
    case .coded: CodedBodies.check(input)
    case .configuration: ConfigurationFiles.check(input)
    }
  }
}

/// Ends the process where something doesn't hold that must, in release builds too.
func require(_ holds: Bool, _ promise: StaticString) {
  precondition(holds, "\(promise)")
}
