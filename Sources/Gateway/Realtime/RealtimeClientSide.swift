internal import Configuration
internal import EventLoop
internal import HTTP
internal import HTTPServer
internal import JSON
internal import Metering
internal import Objects
internal import Pricing

// The client's side of a session.

extension RealtimeSession {
  /// Passes on what the client sends until either side ends.
  func serveClient() async {
    var reader = WebSocketReader(from: .client)
    var bytes: [UInt8] = []
    while completion == nil && !isClosing {
      guard await stream.read(into: &bytes) else { return end(.clientLeft) }
      noteActivity()
      reader.receive(bytes.span)
      if bytes.capacity > RealtimeSession.keptBuffer {
        bytes = []
      } else {
        bytes.removeAll(keepingCapacity: true)
      }
      do {
        while completion == nil, !isClosing, let event = try reader.next() {
          await receive(event, reader)
        }
      } catch {
        return end(.clientViolation(error))
      }
    }
  }

  private func receive(_ event: WebSocketEvent, _ reader: borrowing WebSocketReader) async {
    switch event {
    case .message(let kind): await receive(kind, reader.message)
    case .ping(let payload): await sendToProvider(.ping(payload))
    case .pong(let payload): await sendToProvider(.pong(payload))
    case .close(let close):
      awaitProviderClose()
      await sendToProvider(.close(close))
    }
  }

  /// Passes a message on when what it may bring about is paid for; tells the client when not.
  private func receive(_ kind: WebSocketMessageKind, _ message: [UInt8]) async {
    let event: RealtimeClientEvent
    do throws(MeteringError) {
      guard kind == .text else { throw .notAnObject }
      event = try RealtimeClientEvent.read(message, parser: parser)
    } catch {
      return await sendError(.unreadable(error))
    }
    do throws(Refusal) {
      try check(event)
      try await checkObjects(of: event)
    } catch {
      return await sendError(error, eventID: event.eventID)
    }
    do throws(Refusal) {
      try await prepare(event)
    } catch {
      if case .rateLimited = error { return await sendError(error, eventID: event.eventID) }
      return end(refused: error)
    }
    await sendToProvider(kind, message)
  }

  /// Whether the key may be used for what the event asks, and it has a price.
  private func check(_ event: RealtimeClientEvent) throws(Refusal) {
    for model in [event.model].compactMap(\.self) + event.otherModels.names
    where model != request.model {
      throw .unreadable(
        .unsupported(
          param: "model", reason: "A session keeps the model that it began with."))
    }
    guard case .by(let model) = event.transcription else { return }
    try request.identity.check(model, for: .transcription)
    _ = try Quote.find(
      model, of: request.providerName, for: request.identity.client.id, in: pipeline)
  }

  /// Whether all objects that the event names are the session's or the client's own, and the ids
  /// that it gives to items aren't those of other clients' objects.
  private func checkObjects(of event: RealtimeClientEvent) async throws(Refusal) {
    let references = event.references.filter { !objects.contains($0) }
    if !references.isEmpty {
      try await gateway.owners.check(references, of: provider, for: request.identity, on: pipeline)
    }
    guard !event.givenIDs.isEmpty else { return }
    let given = event.givenIDs.map { ObjectReference(.item, $0, at: "item") }
    try await gateway.owners.check(
      given.filter { !objects.contains($0) }, of: provider, for: request.identity, on: pipeline,
      passesUnowned: true)
    objects.note(given: event.givenIDs)
  }

  /// Holds and opens what the event may bring about.
  private func prepare(_ event: RealtimeClientEvent) async throws(Refusal) {
    context.note(event)
    switch event.kind {
    case .createResponse:
      try countResponse()
      let turn = try await takeNext(limit: event.outputLimit)
      turn.eventID = event.eventID
      turn.begin()
      responses.append(turn)
    case .updateSession:
      unconfirmedUpdates += 1
      if let limit = event.outputLimit, limit.tokens ?? .max > outputLimit.tokens ?? .max {
        outputLimit = limit
      }
      if let transcription = event.transcription {
        self.transcription = transcription
        try await renewTranscription()
      }
      try await cover()
    case .appendAudio:
      try await cover()
      try await openForAudio()
    case .other:
      try await cover()
    }
  }

  /// Each response counts in the key's requests a minute.
  private func countResponse() throws(Refusal) {
    if isFirstResponse {
      isFirstResponse = false
      return
    }
    let identity = request.identity
    if let seconds = gateway.rateLimits.admit(
      identity.key, of: identity.client.id, at: gateway.clock())
    {
      throw .rateLimited(retryAfterSeconds: seconds)
    }
  }

  func end(refused refusal: Refusal) {
    if case .clientLeft = refusal { end(.clientLeft) } else { end(.refused(refusal)) }
  }
}
