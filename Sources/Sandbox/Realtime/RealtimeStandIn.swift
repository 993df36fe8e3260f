internal import EventLoop
internal import HTTP
internal import HTTPServer
internal import JSON
internal import TLS

/// A stand-in for the Realtime API over a WebSocket: text in, text out, one event after the other.
///
/// It takes sound and counts it. If the session names a transcription model, it also transcribes
/// the sound. It begins no response by itself, unless its script says so.
final class RealtimeStandIn {
  private let stream: UpgradedStream
  private let script: SandboxScript
  private let journal: Journal
  private let model: String
  private let keyEnding: String?
  private let unixTime: @Sendable () -> Int64
  private let parser = JSONParser()
  private var writer = WebSocketWriter(as: .server)
  private var session: RealtimeSettings
  private var conversation = RealtimeConversation()
  private var number = 0

  private init(
    _ stream: UpgradedStream, model: String, script: SandboxScript, journal: Journal,
    keyEnding: String?, unixTime: @escaping @Sendable () -> Int64
  ) {
    self.unixTime = unixTime
    self.keyEnding = keyEnding
    self.stream = stream
    self.model = model
    self.script = script
    self.journal = journal
    session = RealtimeSettings(model: model)
  }

  /// Serves a session, or refuses it.
  ///
  /// - Throws: The error of a refusal.
  static func serve(
    _ exchange: HTTPExchange, script: SandboxScript, journal: Journal,
    unixTime: @escaping @Sendable () -> Int64
  ) async throws(ProviderError) {
    let upgrade: WebSocketUpgrade
    do { upgrade = try WebSocketUpgrade(of: exchange.head) } catch {
      throw ProviderError(status: 426, message: "use a WebSocket: \(error)")
    }
    if let status = script.status { throw .scripted(status: status) }
    let query = (exchange.head.query ?? "").split(separator: "&")
    guard let model = query.first(where: { $0.hasPrefix("model=") })?.dropFirst(6) else {
      throw ProviderError(status: 400, message: "model is missing", param: "model")
    }
    var head = ResponseHead(status: 101)
    head.fields.append(.upgrade, constant: "websocket")
    do {
      try head.fields.append(.secWebSocketAccept, WebSocketAccept.value(for: upgrade.key))
      if upgrade.protocols.contains("realtime") {
        head.fields.append(.secWebSocketProtocol, constant: "realtime")
      }
      let stream = try await exchange.upgrade(head)
      let standIn = RealtimeStandIn(
        stream, model: String(model), script: script, journal: journal,
        keyEnding: JournalEntry.ending(ofKey: SandboxHandler.bearerKey(exchange.head.fields)),
        unixTime: unixTime)
      await standIn.run()
    } catch {
      // The client is gone.
      exchange.abort()
    }
  }

  private func run() async {
    guard await send(session.event("session.created", id: nextID())) else { return }
    var reader = WebSocketReader(from: .client)
    var bytes: [UInt8] = []
    while await stream.read(into: &bytes) {
      reader.receive(bytes.span)
      bytes.removeAll(keepingCapacity: true)
      do {
        while let event = try reader.next() {
          guard await receive(event, reader.message) else { return }
        }
      } catch {
        _ = await send(.close(WebSocketClose(error.closeCode)))
        return
      }
    }
  }

  /// Handles one event. Returns whether the session goes on.
  private func receive(_ event: WebSocketEvent, _ message: [UInt8]) async -> Bool {
    switch event {
    case .ping(let payload): return await send(.pong(payload))
    case .pong: return true
    case .close(let close):
      _ = await send(.close(close))
      return false
    case .message: return await receive(message)
    }
  }

  private func receive(_ message: [UInt8]) async -> Bool {
    guard let root = try? parser.parse(message), let type = root["type"]?.string else {
      return await send(RealtimeEvents.error("not an event", id: nextID()))
    }
    switch type {
    case "session.update":
      session.update(with: root["session"])
      return await send(session.event("session.updated", id: nextID()))
    case "conversation.item.create":
      conversation.add(item: root["item"])
      return await send(RealtimeEvents.event("conversation.item.added", id: nextID()))
    case "input_audio_buffer.append":
      conversation.add(audioCharacters: root["audio"]?.utf8Count ?? 0)
      guard script.detectsTurns else { return true }
      guard await commit() else { return false }
      return await respond()
    case "input_audio_buffer.commit": return await commit()
    case "response.create": return await respond()
    default:
      return await send(RealtimeEvents.error("unknown type '\(type)'", id: nextID()))
    }
  }

  private func commit() async -> Bool {
    let tokens = conversation.commit()
    guard await send(RealtimeEvents.event("input_audio_buffer.committed", id: nextID())) else {
      return false
    }
    guard session.transcriptionModel != nil else { return true }
    return await send(RealtimeEvents.transcription(audioTokens: tokens, id: nextID()))
  }

  private func respond() async -> Bool {
    let id = "resp_\(nextID())"
    let words = (0..<(script.chunks ?? 5)).map { " word\($0)" }
    var usage = SandboxUsage(
      promptTokens: script.promptTokens ?? conversation.tokens,
      completionTokens: script.completionTokens ?? Int64(words.count))
    usage.cachedTokens = script.cachedTokens
    usage.audioTokens = script.audioTokens
    let entry = journal.open(
      JournalEntry(
        unixTime: unixTime(), method: "GET", path: "/v1/realtime", keyEnding: keyEnding,
        clientRequestID: nil, script: nil))
    let (model, billed) = (model, usage)
    journal.update(entry) {
      $0.model = model
      $0.isStreamed = true
      $0.status = 101
      $0.usage = billed
    }
    guard await send(RealtimeEvents.created(response: id, id: nextID())) else { return false }
    for (index, word) in words.enumerated() {
      if script.chunkDelayMilliseconds > 0 {
        await stream.loop.sleep(for: .milliseconds(script.chunkDelayMilliseconds))
      }
      if index == script.cutAfter {
        stream.abort()
        return false
      }
      guard await send(RealtimeEvents.delta(word, response: id, id: nextID())) else { return false }
    }
    conversation.add(answerTokens: usage.completionTokens)
    journal.update(entry) { $0.isComplete = true }
    return await send(
      RealtimeEvents.done(
        response: id, usage: script.hidesUsage ? nil : usage,
        audioInput: conversation.audioTokens, id: nextID()))
  }

  private func nextID() -> String {
    number += 1
    return "event_\(number)"
  }

  private func send(_ event: JSONText) async -> Bool {
    var bytes: [UInt8] = []
    writer.append(.text, event.bytes.span, to: &bytes)
    return await stream.write(bytes)
  }

  private func send(_ control: WebSocketControl) async -> Bool {
    var bytes: [UInt8] = []
    writer.append(control, to: &bytes)
    return await stream.write(bytes)
  }
}

/// The tokens that a session's model has been told, by the sandbox's rule.
struct RealtimeConversation {
  private var textBytes = 0
  private var items = 0
  private var answerTokens: Int64 = 0
  private var uncommitted: Int64 = 0
  /// One token for each 6,400 characters of base64, which are 100 ms of sound in the default
  /// format.
  private(set) var audioTokens: Int64 = 0

  private static let charactersPerToken: Int64 = 6_400

  var tokens: Int64 {
    SandboxUsage.promptTokens(textBytes: textBytes, messageCount: items) + answerTokens
      + audioTokens
  }

  mutating func add(item: JSONValue?) {
    items += 1
    guard let content = item?["content"] else { return }
    for part in content.elements { textBytes += part["text"]?.utf8Count ?? 0 }
  }

  mutating func add(audioCharacters: Int) {
    uncommitted += Int64(audioCharacters)
  }

  mutating func add(answerTokens tokens: Int64) {
    answerTokens += tokens
  }

  /// The tokens of the sound since the last commit.
  mutating func commit() -> Int64 {
    let tokens =
      (uncommitted + Self.charactersPerToken - 1) / Self.charactersPerToken
    uncommitted = 0
    audioTokens += tokens
    items += 1
    return tokens
  }
}
