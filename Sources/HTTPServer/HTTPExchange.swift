public import EventLoop
public import HTTP

/// One request and its answer, on the loop of its connection.
///
/// A handler reads the body if it wants it, and then answers: at once with `respond`, or in pieces
/// with `start`, `write` and `finish`. Each of these returns when the kernel has taken the bytes,
/// so that a slow client slows its provider.
public final class HTTPExchange {
  /// The framing of a body that is sent in pieces.
  public enum Framing: Hashable, Sendable {
    case sized(Int64)
    case chunked
    /// Ended by closing the connection, for clients of HTTP/1.0.
    case untilClose
  }

  private enum State {
    case unanswered
    case streaming(Framing)
    case answered
    case upgraded
    case broken
  }

  public private(set) var head: RequestHead
  public let receivedAt: MonotonicInstant
  /// The status of the answer; nil before it has begun.
  public private(set) var status: Int?
  private let connection: Connection
  private var state = State.unanswered
  private var body: RequestBody

  /// Fields that are added to the answer's head, for handlers that pass the exchange on.
  public var addedFields = HeaderFields()

  /// Whether the client has hung up. Further bytes in either direction are lost.
  public private(set) var isClientGone = false
  /// Called once if the client hangs up while the handler waits for something else.
  public var onClientGone: (() -> Void)?

  /// Called when a stop of the server no longer waits for this exchange, even if its client has
  /// already hung up. The handler must then end.
  public var onBreakOff: (() -> Void)? {
    get { connection.onBreakOff }
    set { connection.onBreakOff = newValue }
  }

  public var loop: EventLoop { connection.loop }

  /// The client's address: the peer's, or the one that a trusted load balancer names; nil if the
  /// peer was gone at once.
  public let clientAddress: SocketAddress?

  /// The network of the client's address.
  public var clientNetwork: SocketAddress.Network? { clientAddress?.network }

  /// The owner for whom the body is counted; nil until the credential is known.
  private var owner: RequestOwner?
  /// Whether the request counts among the requests of `owner`.
  private var isCounted = false
  /// Keeps the body counted; nil without a body, and for a small one.
  private var reservation: BodyReservation?

  init(on connection: Connection, from clientAddress: SocketAddress?, head: RequestHead) {
    self.connection = connection
    self.clientAddress = clientAddress
    self.head = head
    receivedAt = connection.loop.now
    body = RequestBody(head.framing)
  }

  func clientHungUp() {
    isClientGone = true
    onClientGone?()
    onClientGone = nil
  }

  /// Notes that the request's credential is valid. Before this call, the request and its body count
  /// for their address; after it, for the credential's owner.
  ///
  /// - Throws: `requestShareExhausted`. The request then still counts for its address.
  public func noteCredential(of owner: RequestOwner) throws(HTTPExchangeError) {
    let (services, limit) = (connection.services, connection.limits.connectionsPerOwner)
    leaveShare()
    guard services.requests.enter(owner, limit: limit) else {
      note(.connectionsPerKey, of: owner)
      throw .requestShareExhausted
    }
    self.owner = owner
    isCounted = true
    connection.origin.stopCounting(services)
  }

  private func leaveShare() {
    guard isCounted, let owner else { return }
    connection.services.requests.leave(owner)
    isCounted = false
  }

  private func note(_ limit: ListenerLimit, of owner: RequestOwner?) {
    connection.services.reports.note(
      limit, of: connection.limits, by: clientAddress, owner, at: loop.now)
  }

  // MARK: The request's body

  /// Reads the whole body.
  ///
  /// - Parameters:
  ///   - limit: The largest allowed size, in bytes.
  ///   - beforeCredential: Whether the sender isn't known yet, because the body itself is the
  ///     credential. The body then has the time of a head.
  /// - Throws: `bodyTooLarge`, `bodyTimeout`, `bodyMemoryExhausted`, `bodyShareExhausted`,
  ///   `invalidBody` or `disconnected`.
  public func readBody(
    limit: Int, beforeCredential: Bool = false
  ) async throws(HTTPExchangeError) -> [UInt8] {
    if case .sized(let length) = head.framing, length > limit { throw .bodyTooLarge }
    var bytes: [UInt8] = []
    var pace: TransferPace?
    while try await readBodyPiece(into: &bytes, upTo: limit, beforeCredential, &pace) {
      if bytes.count > limit { throw .bodyTooLarge }
    }
    reservation?.finish()
    return bytes
  }

  /// Hands over the object that keeps the body counted. An owner of the body's bytes must hold it
  /// too. Without this call, the body is counted until the exchange ends.
  public func takeBodyReservation() -> BodyReservation? {
    reservation.take()
  }

  /// Counts the body with `room` bytes in all, because a decoded body takes more than the received
  /// bytes.
  ///
  /// - Throws: `bodyMemoryExhausted` or `bodyShareExhausted`.
  public func countBody(_ room: Int) throws(HTTPExchangeError) {
    let limits = connection.limits
    try counted { body throws(BodyMemory.Refusal) in try body.grow(to: room, limits) }
    reservation?.finish()
  }

  /// Makes room for the received bytes of the body. The room grows with these bytes, never with the
  /// length that the head announces.
  private func makeRoom(
    in bytes: inout [UInt8], upTo limit: Int
  ) throws(HTTPExchangeError) {
    let promised: Int
    var arrived = connection.input.count
    if case .sized(let length) = head.framing {
      promised = Int(clamping: length)
      arrived = min(arrived, promised - bytes.count)
    } else {
      promised = limit
    }
    let needed = bytes.count + arrived
    guard needed > bytes.capacity else { return }
    let room = max(needed, min(2 * bytes.capacity, promised))
    if room > BodyMemory.uncountedBytes {
      let limits = connection.limits
      try counted { body throws(BodyMemory.Refusal) in try body.grow(to: room, limits) }
    }
    bytes.reserveCapacity(room)
  }

  /// Starts counting the body if needed, and calls `body` with the object that counts it.
  private func counted(
    _ body: (BodyReservation) throws(BodyMemory.Refusal) -> Void = { _ in }
  ) throws(HTTPExchangeError) {
    let services = connection.services
    do throws(BodyMemory.Refusal) {
      if let reservation { return try body(reservation) }
      let begun = try services.bodies.begin(
        for: owner ?? .stranger(clientNetwork), connection.limits)
      reservation = begun
      try body(begun)
    } catch {
      reservation = nil
      connection.closesAfterExchange = true
      let limit: ListenerLimit =
        switch error {
        case .exhausted: .bodyMemory
        case .ownerExhausted: .bodyMemoryPerKey
        case .tooManyUnfinished: .unfinishedBodiesPerKey
        }
      note(limit, of: owner)
      throw error == .exhausted ? .bodyMemoryExhausted : .bodyShareExhausted
    }
  }

  /// Appends the next piece of the body to `bytes`; returns false at its end.
  ///
  /// - Parameter pace: The body's deadline; nil until the first wait, which starts it.
  private func readBodyPiece(
    into bytes: inout [UInt8], upTo limit: Int, _ beforeCredential: Bool,
    _ pace: inout TransferPace?
  ) async throws(HTTPExchangeError) -> Bool {
    if case .broken = state { throw .disconnected }
    if body.isComplete { return false }
    if connection.input.isEmpty {
      try counted()
      if head.expectsContinue && !body.hasBegun {
        connection.compose { $0.append(contentsOf: "HTTP/1.1 100 Continue\r\n\r\n".utf8) }
        guard await connection.flush() else { throw failed() }
      }
      let (limits, now) = (connection.limits, loop.now)
      let begun =
        pace
        ?? TransferPace(
          from: now, allowance: beforeCredential ? limits.headerTimeout : limits.bodyTimeout,
          bytesPerSecond: limits.bodyRate)
      pace = begun
      connection.startTimer(min(limits.idle, begun.timeLeft(at: now)))
      let arrived = await connection.readMore()
      let late = connection.timedOut
      connection.stopTimer()
      guard arrived else {
        connection.closesAfterExchange = true
        guard late else { throw failed() }
        note(.bodyTimeout, of: owner)
        throw .bodyTimeout
      }
    }
    try makeRoom(in: &bytes, upTo: limit)
    let before = bytes.count
    try body.take(from: &connection.input, into: &bytes)
    pace?.note(bytes.count - before)
    return true
  }

  /// Releases the request's header fields, which an answer of several minutes doesn't need.
  public func forgetFields() {
    head.forgetFields()
  }

  // MARK: The answer

  /// Sends a whole answer with its length.
  /// - Throws: `alreadyAnswered` or `disconnected`.
  public func respond(_ answer: HTTPAnswer) async throws(HTTPExchangeError) {
    try expectUnanswered()
    if !body.isComplete { connection.closesAfterExchange = true }
    let answerHead = withAddedFields(answer.head)
    connection.compose { output in
      answerHead.appendAnswer(
        to: &output, body: answer.body, isHead: head.method == .head,
        closes: connection.closesAfterExchange)
    }
    state = .answered
    status = answer.head.status
    guard await connection.flush() else { throw failed() }
  }

  /// Sends the head of an answer whose body follows.
  ///
  /// - Parameter isHeldBack: Whether to send it only with the next `write` or `finish`.
  /// - Throws: `alreadyAnswered` or `disconnected`.
  public func start(
    _ response: ResponseHead, framing: Framing, isHeldBack: Bool = false
  ) async throws(HTTPExchangeError) {
    try expectUnanswered()
    if !body.isComplete { connection.closesAfterExchange = true }
    var framing = framing
    if framing == .chunked && head.version == .http10 { framing = .untilClose }
    if framing == .untilClose { connection.closesAfterExchange = true }
    let response = withAddedFields(response)
    connection.compose { output in
      response.appendStart(
        to: &output, framing: framing, closes: connection.closesAfterExchange)
    }
    state = head.method == .head ? .answered : .streaming(framing)
    status = response.status
    if isHeldBack, case .streaming = state { return }
    guard await connection.flush() else { throw failed() }
  }

  private func withAddedFields(_ head: ResponseHead) -> ResponseHead {
    guard addedFields.count > 0 else { return head }
    var head = head
    head.fields.append(contentsOf: addedFields)
    return head
  }

  /// Whether a head is held back.
  public var holdsHeadBack: Bool { !connection.output.isEmpty }

  /// Sends a piece of the body, and returns when the client's side has taken it.
  /// - Throws: `disconnected`.
  public func write(_ bytes: [UInt8]) async throws(HTTPExchangeError) {
    if case .answered = state { return }
    guard case .streaming(let framing) = state else { throw failed() }
    guard !bytes.isEmpty || holdsHeadBack else { return }
    let isChunk = framing == .chunked && !bytes.isEmpty
    if isChunk {
      connection.compose { ChunkedEncoder.appendHeader(contentBytes: bytes.count, to: &$0) }
    }
    guard
      await connection.flush(followedBy: bytes, end: isChunk ? ChunkedEncoder.chunkEnd : "")
    else { throw failed() }
  }

  /// Ends the body, after a last piece.
  /// - Throws: `disconnected`.
  public func finish(_ last: [UInt8] = []) async throws(HTTPExchangeError) {
    if case .answered = state { return }
    guard case .streaming(let framing) = state else { throw failed() }
    var end: StaticString = ""
    if framing == .chunked {
      end = last.isEmpty ? ChunkedEncoder.bodyEnd : ChunkedEncoder.lastChunkEnd
      if !last.isEmpty {
        connection.compose { ChunkedEncoder.appendHeader(contentBytes: last.count, to: &$0) }
      }
    }
    state = .answered
    guard await connection.flush(followedBy: last, end: end) else { throw failed() }
  }

  /// Ends HTTP on this connection. After `response`, whose status is 101, the caller uses its
  /// bytes. The connection is closed after the handler in any case.
  /// - Throws: `alreadyAnswered`, `disconnected`, or `notUpgradable` if the status isn't 101 or the
  ///   request's body hasn't been read.
  public func upgrade(_ response: ResponseHead) async throws(HTTPExchangeError) -> UpgradedStream {
    try expectUnanswered()
    guard response.status == 101 && body.isComplete else { throw .notUpgradable }
    state = .upgraded
    status = response.status
    connection.closesAfterExchange = true
    connection.compose { response.appendUpgrade(to: &$0) }
    guard await connection.flush() else { throw failed() }
    return UpgradedStream(on: connection)
  }

  /// Checks that an answer may begin.
  ///
  /// The client decides when its connection breaks. A broken exchange therefore throws and never
  /// traps: a trap would end the process for all other clients.
  private func expectUnanswered() throws(HTTPExchangeError) {
    switch state {
    case .unanswered: return
    case .broken: throw .disconnected
    case .streaming, .answered, .upgraded: throw .alreadyAnswered
    }
  }

  /// Breaks the connection, so that the client sees that the answer isn't complete.
  public func abort() {
    state = .broken
    connection.abort()
  }

  private func failed() -> HTTPExchangeError {
    state = .broken
    connection.closesAfterExchange = true
    isClientGone = true
    return .disconnected
  }

  /// Ends the exchange after the handler; returns whether the connection can continue.
  func end() async -> Bool {
    onClientGone = nil
    leaveShare()
    switch state {
    case .broken: return false
    case .unanswered, .streaming:
      abort()
      return false
    case .answered, .upgraded: break
    }
    if connection.closesAfterExchange {
      await connection.lingerAndClose()
      return false
    }
    return true
  }
}
