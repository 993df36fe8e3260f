internal import EventLoop
internal import HTTP

/// One client's connection: reads a request, has it answered, and reads the next.
///
/// Everything here runs in one task on the loop of the socket, from top to bottom; nothing is
/// shared, so nothing is locked. Waiting is a suspension of that task. A single timer stands for
/// whichever timeout the connection is under: when it fires, the waiting read or write is woken
/// and finds `timedOut`.
///
/// Back-pressure needs no counting. Towards the client: `flush` returns when the kernel has taken
/// all bytes, and until then whoever produces them is suspended. From the client: bytes are read
/// only when a handler asks for a body, at most one scratch buffer ahead.
final class Connection {
  let transport: ConnectionTransport
  private(set) var limits: HTTPServerLimits
  var input = InputBuffer()
  /// Bytes for the client that are not sent yet. Its room is lent: see `compose`.
  private(set) var output: [UInt8] = []
  /// Whether the connection ends after the current exchange.
  var closesAfterExchange = false

  let services: ListenerServices
  let origin: ConnectionOrigin

  private let handler: any HTTPHandler
  private var parser: RequestParser
  private var timer: LoopTimer?
  private(set) var timedOut = false
  /// Between two requests: a graceful stop may close the connection at once.
  private(set) var isIdle = true
  /// It has made no request yet.
  private(set) var isFresh = true
  /// Its first request came after the server was told to stop: it is told so, and ended.
  var isLate: Bool
  /// Told that the server stops, where the connection has been upgraded.
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

  /// Serves requests until either side has enough.
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

  /// Whether another request may follow.
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

  /// Waits for a request; nil when there is none, or none that can be read.
  ///
  /// Apart, since what it needs would else be kept for as long as the exchange lasts.
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

  /// Waits for a whole request header; nil when the client has left or rested too long.
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

  /// Ends a resting connection; a busy one ends after its exchange.
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

  /// Breaks the connection, and tells a handler that waits for something else.
  func breakOff() {
    let hangup = transport.socket.onHangup
    let breakOff = onBreakOff
    abort()
    hangup?()
    breakOff?()
  }

  // MARK: Reading and writing

  /// Waits for more bytes from the client; false at their end or when time is up.
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

  /// Makes `readMore` say that this is the end, until the connection is closed.
  func interruptReading() {
    isReadingInterrupted = true
    transport.socket.interruptWaits()
  }

  /// Reads what a balancer says first about its client; true where none has to say anything.
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

  /// Completes the TLS handshake, if there is one.
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

  /// Adds to what `flush` sends, in room that is lent until then.
  func compose(_ body: (inout [UInt8]) -> Void) {
    loop.spareBytes.lend(to: &output)
    body(&output)
  }

  /// Sends all of `output`, then `piece`, then `end`; false when the client is gone, or takes the
  /// bytes too slowly.
  ///
  /// The time in which a stream has nothing to send doesn't count, so a stream that rests is never
  /// cut.
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

  /// Pieces of so many bytes are sent from where they are: less is copied in less time.
  private static let leastUncopied = 4 << 10

  /// Writes what `output`, `piece` and `end` together have after their first `sent` bytes.
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

  /// Says that no more will be sent, and reads away what the client still sends: closing with
  /// unread bytes would reset the connection, and the client could lose the answer.
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
  /// Without its first `count` bytes: all of it for 0 and less, nothing for more than it has.
  fileprivate func dropping(_ count: Int) -> UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(rebasing: self[Swift.min(Swift.max(count, 0), self.count)...])
  }
}
