internal import EventLoop
internal import HTTP
internal import HTTPServer
internal import JSON
internal import Ledger
internal import Metering
internal import Objects
internal import Upstream

// The provider's side of a session.

extension RealtimeSession {
  /// Passes on what the provider sends until either side ends.
  func serveProvider() async {
    var reader = WebSocketReader(from: .server)
    var bytes: [UInt8] = []
    var frames: [UInt8] = []
    while completion == nil {
      do {
        guard try await transfer.next(into: &bytes) else { return providerEnded() }
      } catch {
        return providerEnded()
      }
      noteActivity()
      reader.receive(bytes.span)
      if bytes.capacity > RealtimeSession.keptBuffer { bytes = [] }
      do throws(WebSocketError) {
        while completion == nil, let event = try reader.next() {
          await receive(event, reader, into: &frames)
        }
      } catch {
        end(.providerViolation(error))
      }
      await sendToClient(&frames)
    }
  }

  private func providerEnded() {
    end(isClosing ? .clientClosed(nil) : .providerLeft)
  }

  private func receive(
    _ event: WebSocketEvent, _ reader: borrowing WebSocketReader, into frames: inout [UInt8]
  ) async {
    switch event {
    case .ping(let payload) where !provider.showsKey(in: payload.span):
      append(.ping(payload), to: &frames)
    case .pong(let payload) where !provider.showsKey(in: payload.span):
      append(.pong(payload), to: &frames)
    // A ping without the key would be another ping, so one that shows the key doesn't pass.
    case .ping, .pong: break
    case .close(let close):
      let shown = redacted(close)
      if isClosing { return end(.clientClosed(shown)) }
      end(.providerClosed(shown))
    case .message(let kind):
      var message = reader.message
      provider.takeKeyOut(of: &message)
      do throws(Refusal) {
        try await receive(kind, message, into: &frames)
      } catch {
        await sendToClient(&frames)
        end(refused: error)
      }
    }
  }

  private func receive(
    _ kind: WebSocketMessageKind, _ message: [UInt8], into frames: inout [UInt8]
  ) async throws(Refusal) {
    guard kind == .text, let root = try? parser.parse(message) else {
      return try await endUnread()
    }
    let event = RealtimeServerEvent.read(root)
    if event.showsObjects { objects.note(shownIn: root) }
    switch event {
    case .ambiguous: try await endUnread()
    case .responseDelta(let id):
      let turn = response(id)
      turn?.meter.read(root)
      turn?.noteDelta()
      append(kind, message, to: &frames)
    case .responseDone(let id, let isOutOfBand):
      let meter = response(id)?.meter ?? RealtimeMeter()
      var last = meter
      last.read(root)
      try await settleResponse(id, last.report, isOutOfBand: isOutOfBand)
      append(kind, last.report.isError ? redacted(message) : message, to: &frames)
      await sendToClient(&frames)
      guard completion == nil, !endIfStopping() else { return }
      try await renew()
    case .transcribed(let report):
      try await settleTranscription(report)
      append(kind, message, to: &frames)
      await sendToClient(&frames)
      guard completion == nil else { return }
      try await renewTranscription()
    case .error, .transcriptionFailed:
      try await note(event)
      append(kind, redacted(message), to: &frames)
    default:
      try await note(event)
      append(kind, message, to: &frames)
    }
  }

  /// Ends the session at an event that can't be read, before the client gets it. It may be the end
  /// of a response, so each response under way costs its hold. If none is, the provider may have
  /// begun one by itself.
  private func endUnread() async throws(Refusal) {
    if responses.isEmpty { begin(try await takeNext()) }
    for turn in responses { turn.meter.noteUnreadable() }
    end(.unreadableEvent)
  }

  private func redacted(_ message: [UInt8]) -> [UInt8] {
    pipeline.keyRedaction.redacted(message)
  }

  private func redacted(_ close: WebSocketClose) -> WebSocketClose {
    let reason = redacted(Array(close.reason.utf8))
    return WebSocketClose(close.code, reason: String(decoding: reason, as: UTF8.self))
  }

  // MARK: Responses

  private func response(_ id: String) -> RealtimeTurn? {
    responses.first { $0.responseID == id } ?? responses.first { $0.responseID == nil }
  }

  private func note(_ event: RealtimeServerEvent) async throws(Refusal) {
    switch event {
    case .responseCreated(let id):
      if let asked = responses.first(where: { $0.responseID == nil }) {
        asked.responseID = id
      } else {
        let turn = try await takeNext()
        turn.responseID = id
        begin(turn)
      }
      context.responseBegan()
    case .session(let transcription, let limit):
      unconfirmedUpdates = max(0, unconfirmedUpdates - 1)
      guard unconfirmedUpdates == 0 else { return }
      outputLimit = limit
      self.transcription = transcription
      try await renewTranscription()
    case .audioCommitted:
      if case .by = transcription { context.audioCommitted() }
    case .transcriptionFailed: context.transcriptionEnded()
    case .error(let code, let eventID): await noteError(code, eventID)
    default: break
    }
  }

  private func begin(_ turn: RealtimeTurn) {
    turn.begin()
    responses.append(turn)
  }

  private func settleResponse(
    _ id: String, _ report: UsageReport, isOutOfBand: Bool
  ) async throws(Refusal) {
    let turn: RealtimeTurn
    if let known = response(id) { turn = known } else { turn = try await takeNext() }
    responses.removeAll { $0 === turn }
    context.responseEnded(isOutOfBand ? nil : report.usage)
    await turn.settle(report.isError ? .providerError : .ok, report)
  }

  /// The provider refused the client's request, so its hold becomes the next response's hold.
  private func noteError(_ code: String?, _ eventID: String?) async {
    guard
      let turn = responses.last(where: { turn in
        turn.responseID == nil
          && (code == "conversation_already_has_active_response"
            || eventID != nil && turn.eventID == eventID)
      })
    else { return }
    responses.removeAll { $0 === turn }
    if next == nil { next = turn } else { await turn.giveBack() }
  }

  // MARK: Transcriptions

  private func settleTranscription(_ report: UsageReport) async throws(Refusal) {
    context.transcriptionEnded()
    let turn: RealtimeTurn
    if let held = transcript {
      turn = held
    } else {
      // The session never said by which model: at the dearest that it has, its own.
      var model = request.model
      if case .by(let known) = transcription { model = known }
      turn = try await reserveTranscription(by: model)
    }
    transcript = nil
    try await turn.open()
    await turn.settle(.ok, report)
  }
}
