internal import EventLoop
internal import HTTP
internal import HTTPServer

/// Sends one answer as its script asks, and tells the journal its outcome.
struct SandboxCall {
  let exchange: HTTPExchange
  let dialect: SandboxProviderDialect
  let script: SandboxScript
  let journal: Journal
  /// The journal's number of the request.
  let number: Int64

  func perform(_ answer: SandboxAnswer) async throws(HTTPExchangeError) {
    switch answer {
    case .chat(let chat): record(chat.request.model, chat.request.isStreamed, chat.usage)
    case .billed(let billed): record(billed.model, billed.isStreamed, billed.usage)
    case .batch(_, let lines): journal.update(number) { $0.batchLines = lines }
    case .plain, .file, .media, .events, .error: break
    }
    if script.hangs { return await waitForHangup() }
    await pause(milliseconds: script.delayMilliseconds)
    if script.isMalformed { return try await sendMalformedHead() }
    switch answer {
    case .error(let error): try await respond(error.status, error.json.bytes)
    case .plain(let body), .batch(let body, _): try await respond(200, body.bytes)
    case .file(let content): try await respond(200, content)
    case .chat(let chat): try await send(chat)
    case .media(let media): try await send(media)
    case .billed(let billed): try await send(billed)
    case .events(let events): try await stream(events)
    }
    journal.update(number) { $0.isComplete = true }
  }

  private func record(_ model: String, _ isStreamed: Bool, _ usage: SandboxUsage) {
    journal.update(number) {
      $0.model = model
      $0.isStreamed = isStreamed
      $0.usage = usage
    }
  }

  private func send(_ chat: SandboxChatAnswer) async throws(HTTPExchangeError) {
    if chat.request.isStreamed {
      try await stream(ChatStream(chat))
    } else {
      try await send(chat.body)
    }
  }

  /// Sends an answer piece by piece. An answer of one piece is sent with its length.
  private func send(_ media: MediaAnswer) async throws(HTTPExchangeError) {
    journal.update(number) { $0.status = 200 }
    let head = self.head(200, type: media.contentType)
    if let only = media.pieces.first, media.pieces.count == 1, script.cutAfter == nil {
      return try await exchange.respond(HTTPAnswer(head: head, body: only))
    }
    try await exchange.start(head, framing: .chunked)
    for (index, piece) in media.pieces.enumerated() {
      await pause(milliseconds: script.chunkDelayMilliseconds)
      if index == script.cutAfter { throw .disconnected }
      try await exchange.write(piece)
    }
    try await exchange.finish()
  }

  private func send(_ billed: BilledAnswer) async throws(HTTPExchangeError) {
    switch billed.content {
    case .stream(let events): try await stream(events)
    case .whole(let body): try await send(body)
    }
  }

  private func send(_ body: JSONText) async throws(HTTPExchangeError) {
    if script.cutAfter != nil { return try await sendHalf(of: body.bytes) }
    try await respond(200, body.bytes)
  }

  private func respond(_ status: Int, _ body: [UInt8]) async throws(HTTPExchangeError) {
    journal.update(number) { $0.status = status }
    try await exchange.respond(
      HTTPAnswer(head: head(status, type: HTTPAnswer.json), body: body))
  }

  private func stream(_ events: some Sequence<[UInt8]>) async throws(HTTPExchangeError) {
    journal.update(number) { $0.status = 200 }
    try await exchange.start(
      head(200, type: "text/event-stream; charset=utf-8"), framing: .chunked)
    var sent = 0
    for event in events {
      await pause(milliseconds: script.chunkDelayMilliseconds)
      if sent == script.cutAfter { throw .disconnected }
      try await exchange.write(event)
      sent += 1
    }
    try await exchange.finish()
  }

  // MARK: Misbehaviour

  /// Sends half of the body and breaks the connection.
  private func sendHalf(of body: [UInt8]) async throws(HTTPExchangeError) {
    journal.update(number) { $0.status = 200 }
    try await exchange.start(
      head(200, type: HTTPAnswer.json), framing: .sized(Int64(body.count)))
    try await exchange.write(Array(body.prefix(body.count / 2)))
    await pause(milliseconds: script.chunkDelayMilliseconds)
    throw .disconnected
  }

  /// Sends an interim answer, and then bytes that aren't HTTP where the client expects the final
  /// answer.
  private func sendMalformedHead() async throws(HTTPExchangeError) {
    try await exchange.start(ResponseHead(status: 100), framing: .untilClose)
    try await exchange.finish(Array("This is not HTTP.\r\n\r\n".utf8))
  }

  private func waitForHangup() async {
    guard !exchange.isClientGone else { return }
    let hangup = Waiter<Void>()
    exchange.onClientGone = { hangup.wake() }
    await hangup.wait()
  }

  private func pause(milliseconds: Int) async {
    guard milliseconds > 0 else { return }
    await exchange.loop.sleep(for: .milliseconds(milliseconds))
  }

  private func head(_ status: Int, type: StaticString) -> ResponseHead {
    var head = ResponseHead(status: status, fields: dialect.fields(number: number))
    head.fields.append(.contentType, constant: type)
    return head
  }
}
