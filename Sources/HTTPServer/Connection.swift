internal import EventLoop
internal import HTTP

/// One client's connection: reads a request, has it answered, and reads the next.
///
/// All code runs in one task on the socket's loop. Nothing is shared, so nothing is locked. A wait
/// suspends the task. A single timer serves the timeout that currently applies: when it fires, the
/// waiting read or write wakes and finds `timedOut`.
///
/// Back-pressure needs no counting. Toward the client, `flush` returns when the kernel has taken
/// all bytes, and the producer is suspended until then. From the client, bytes are read only when a
/// handler asks for a body, at most one scratch buffer ahead.
final class Connection {
  let transport: ConnectionTransport
  private(set) var limits: HTTPServerLimits
  var input = InputBuffer()
  /// Bytes for the client that aren't sent yet. The array's capacity is borrowed: see `compose`.
  private(set) var output: [UInt8] = []
  /// Whether the connection ends after the current exchange.
  var closesAfterExchange = false

  let services: ListenerServices
  let origin: ConnectionOrigin

  private let handler: any HTTPHandler
  private var parser: RequestParser
  private var timer: LoopTimer?
  private(set) var timedOut = false
  /// Whether the connection is between two requests, so that a graceful stop may close it at once.
  private(set) var isIdle = true
  /// Whether the connection has made no request yet.
  private(set) var isFresh = true
  /// Whether the connection's first request came after the server was told to stop. The client is
  /// told so, and the connection ends.
  var isLate: Bool
  /// Called when the server stops, if the connection has been upgraded.
  var onStop: (() -> Void)?
  /// See `HTTPExchange.onBreakOff`.
  var onBreakOff: (() -> Void)?
  private var sawEnd = false
  private var isReadingInterrupted = false

  var loop: EventLoop { transport.socket.loop }

  init(
    _ transport: ConnectionTransport, from origin: ConnectionOrigin, handler: any HTTPHandler,
    limits: HTTPServerLimits, services: ListenerServices, isLate: Bool
  ) {
    self.transport = transport
    self.origin = origin
    self.handler = handler
    self.limits = limits
    self.services = services
    self.isLate = isLate
    parser = RequestParser(limits: RequestLimits(headBytes: limits.header))
    timer = LoopTimer(on: loop) { [unowned self] in
      timedOut = true
      transport.socket.interruptWaits()
    }
  }

  // MARK: The life of a connection

  /// Serves requests until either side ends the connection.
  func serve() async {
    if await readProxyHeader() {
      if !origin.enter(limits, services, at: loop.now) {
        await answerThatThereIsNoRoom(.tooManyConnectionsOfAddress)
      } else if await handshake() {
        while await serveRequest() {}
      }
    }
    end()
  }

  private func end() {
    origin.leave(services)
    timer?.stop()
    timer = nil
    transport.socket.close()
  }

  /// Serves one request; returns whether another may follow.
  private func serveRequest() async -> Bool {
    guard let exchange = await nextExchange() else { return false }
    await handler.handle(exchange)
    origin.countAgain(services)
    transport.socket.onHangup = nil
    onStop = nil
    onBreakOff = nil
    guard await exchange.end() else { return false }
    return !closesAfterExchange
  }

  /// Waits for a request; returns nil if there is none, or if it can't be read.
  ///
  /// It is a separate function, because its locals would otherwise be kept during the whole
  /// exchange.
  @inline(never)
  private func nextExchange() async -> HTTPExchange? {
    do {
      guard let head = try await readHead() else { return nil }
      isFresh = false
      return try exchange(head)
    } catch {
      await refuse(error)
      return nil
    }
  }

  private func exchange(_ head: RequestHead) throws(HTTPRefusal) -> HTTPExchange {
    let address = origin.client(of: head.fields)
    guard origin.enterRequest(of: address, limits, services, at: loop.now) else {
      throw .tooManyConnectionsOfAddress
    }
    let exchange = HTTPExchange(on: self, from: address, head: head)
    closesAfterExchange = closesAfterExchange || isLate || !head.keepAlive
    transport.socket.onHangup = { [unowned exchange] in exchange.clientHungUp() }
    if transport.socket.isHungUp { exchange.clientHungUp() }
    return exchange
  }

  /// Waits for a whole request header; returns nil if the client has left or was idle too long.
  private func readHead() async throws(HTTPRefusal) -> RequestHead? {
    isIdle = true
    startTimer(limits.idle)
    defer {
      isIdle = false
      stopTimer()
    }
    while true {
      if !input.isEmpty {
        if isIdle {
          isIdle = false
          startTimer(limits.headerTimeout)
        }
        do {
          let progress = try input.withUnread { bytes throws(HTTPError) in
            try parser.parse(bytes)
          }
          if case .head(let head, let consumed) = progress {
            input.consume(consumed)
            return head
          }
        } catch {
          throw .invalid(error)
        }
      }
      if closesAfterExchange && isIdle { return nil }
      guard await readMore() else {
        if timedOut && !isIdle { throw .requestTimeout }
        return nil
      }
    }
  }

  /// Answers that there is no room for this connection, and ends it.
  func refuseConnection(_ refusal: HTTPRefusal) async {
    if await readProxyHeader() { await answerThatThereIsNoRoom(refusal) }
    end()
  }

  private func answerThatThereIsNoRoom(_ refusal: HTTPRefusal) async {
    limits = limits.ofRefusedConnection
    if await handshake() { await refuse(refusal) }
  }

  private func refuse(_ refusal: HTTPRefusal) async {
    let answer = handler.refuse(refusal, of: origin.client)
    closesAfterExchange = true
    compose { output in
      answer.head.appendAnswer(to: &output, body: answer.body, isHead: false, closes: true)
    }
    startTimer(limits.idle)
    if await flush() { await lingerAndClose() }
  }

  /// Ends an idle connection; a busy one ends after its exchange.
  func stop() {
    loop.preconditionOnLoop()
    closesAfterExchange = true
    if isIdle { transport.socket.interruptWaits() }
    onStop?()
  }

  /// Breaks the connection at once.
  func abort() {
    loop.preconditionOnLoop()
    closesAfterExchange = true
    transport.socket.close(reset: true)
  }

  /// Breaks the connection, and wakes a handler that waits for something else.
  func breakOff() {
    let hangup = transport.socket.onHangup
    let breakOff = onBreakOff
    abort()
    hangup?()
    breakOff?()
  }

  // MARK: Reading and writing

  /// Waits for more bytes from the client; returns false at their end or after the timeout.
  func readMore() async -> Bool {
    while true {
      if timedOut || sawEnd || isReadingInterrupted { return false }
      switch transport.read(into: &input) {
      case .bytes: return true
      case .end:
        sawEnd = true
        return false
      case .wouldBlock:
        if closesAfterExchange && isIdle { return false }
        await transport.socket.waitReadable()
      }
    }
  }

  /// Makes `readMore` report the end until the connection is closed.
  func interruptReading() {
    isReadingInterrupted = true
    transport.socket.interruptWaits()
  }

  /// Reads a load balancer's header about its client; returns true if none is expected.
  private func readProxyHeader() async -> Bool {
    guard let balancer = origin.awaitedBalancer else { return true }
    startTimer(limits.headerTimeout)
    defer { stopTimer() }
    var header = ProxyHeader()
    var bytes: [UInt8] = []
    do throws(ProxyHeader.Mistake) {
      while !timedOut {
        switch transport.readBeforeTLS(into: &bytes, atMost: header.missing) {
        case .bytes:
          if let source = try header.receive(bytes) {
            origin.take(source)
            return true
          }
          bytes.removeAll(keepingCapacity: true)
        case .wouldBlock: await transport.socket.waitReadable()
        case .end: return false
        }
      }
      services.reports.noteProxyHeader("it did not arrive in time", of: balancer, at: loop.now)
    } catch {
      services.reports.noteProxyHeader("\(error)", of: balancer, at: loop.now)
    }
    return false
  }

  /// Completes the TLS handshake, if the listener uses TLS.
  private func handshake() async -> Bool {
    startTimer(limits.headerTimeout)
    defer { stopTimer() }
    while !timedOut {
      switch transport.handshake() {
      case .complete: return true
      case .failed: return false
      case .needsRead: await transport.socket.waitReadable()
      case .needsWrite: await transport.socket.waitWritable()
      }
    }
    return false
  }

  /// Appends to the bytes that `flush` sends. Their capacity is borrowed until then.
  func compose(_ body: (inout [UInt8]) -> Void) {
    loop.spareBytes.lend(to: &output)
    body(&output)
  }

  /// Sends all of `output`, then `piece`, then `end`; returns false if the client is gone or takes
  /// the bytes too slowly.
  ///
  /// Time in which a stream has nothing to send doesn't count, so an idle stream is never cut.
  func flush(followedBy piece: [UInt8] = [], end: StaticString = "") async -> Bool {
    var (piece, end) = (piece, end)
    if !transport.isInTheClear || piece.count < Connection.leastUncopied {
      compose { output in
        output.append(contentsOf: piece)
        end.withUTF8Buffer { unsafe output.append(contentsOf: $0) }
      }
      (piece, end) = ([], "")
    }
    let count = output.count + piece.count + end.utf8CodeUnitCount
    var sent = 0
    var pace: TransferPace?
    defer { loop.spareBytes.takeBack(&output) }
    while true {
      switch sent == count ? transport.writePending() : write(piece, end, from: sent) {
      case .bytes(let written):
        if sent == count { return true }
        sent += written
        pace?.note(written)
      case .end, .broken: return false
      case .wouldBlock:
        let begun =
          pace
          ?? TransferPace(from: loop.now, allowance: limits.idle, bytesPerSecond: limits.bodyRate)
        pace = begun
        startTimer(min(limits.idle, begun.timeLeft(at: loop.now)))
        await transport.socket.waitWritable()
        let late = timedOut
        stopTimer()
        if late { return false }
      }
    }
  }

  /// Pieces of at least this many bytes are sent without a copy; copying a smaller one is faster.
  private static let leastUncopied = 4 << 10

  /// Writes the bytes of `output`, `piece` and `end` together, from `sent` on.
  private func write(
    _ piece: [UInt8], _ end: StaticString, from sent: Int
  ) -> StreamSocket.Progress {
    unsafe output.withUnsafeBytes { output in
      guard !piece.isEmpty else { return unsafe transport.write(output.dropping(sent)) }
      return unsafe piece.withUnsafeBytes { piece in
        unsafe transport.writeInTheClear(
          output.dropping(sent), piece.dropping(sent - output.count),
          UnsafeRawBufferPointer(start: end.utf8Start, count: end.utf8CodeUnitCount)
            .dropping(sent - output.count - piece.count))
      }
    }
  }

  /// Announces the end of sending, and discards the bytes that the client still sends. If the
  /// connection were closed with unread bytes, it would be reset, and the client could lose the
  /// answer.
  func lingerAndClose() async {
    transport.endWriting()
    isReadingInterrupted = false
    startTimer(Connection.lingerTimeout)
    var left = Connection.lingerBytes
    while left > 0, await readMore() {
      left -= input.count
      input.consume(input.count)
    }
    stopTimer()
  }

  private static let lingerTimeout = Duration.seconds(2)
  private static let lingerBytes = 1 << 20

  func startTimer(_ duration: Duration) {
    timedOut = false
    timer?.start(after: duration)
  }

  func stopTimer() {
    timer?.stop()
    timedOut = false
  }
}

extension UnsafeRawBufferPointer {
  /// Returns the buffer without its first `count` bytes: all of it for 0 and less, nothing if
  /// `count` is larger.
  fileprivate func dropping(_ count: Int) -> UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(rebasing: self[Swift.min(Swift.max(count, 0), self.count)...])
  }
}
