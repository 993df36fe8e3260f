internal import EventLoop
internal import HTTP
internal import HTTPServer
internal import TLS

/// Tells open pages that figures have changed (server-sent events); what they are now, a page then
/// asks as it asked before.
///
/// However much happens, a page is told twice a second at most, and once more after the last
/// change: by then what was settled is in the ledger. It is told once when it begins to listen,
/// since something may have changed between its figures and that.
final class LiveEvents: Sendable {
  /// Open pages of everybody, of all clients' keys, and of one token or key: a client's pages never
  /// keep an administrator's from being told.
  static let capacity = 100
  static let mostOfKeys = 50
  static let mostOfCredential = 20
  private static let interval = Duration.milliseconds(500)
  /// How many intervals without news pass before the connection is tried.
  private static let silentIntervals = 30

  private let listeners = Lock(Listeners())
  private let server: any RunningServer

  init(server: any RunningServer) {
    self.server = server
  }

  /// Tells one page of a session, until it is closed or `isWelcome` no longer holds; false where
  /// too many listen, with nothing answered.
  func serve(
    _ exchange: HTTPExchange, of session: Session, while isWelcome: () -> Bool
  ) async -> Bool {
    guard listeners.withLock({ $0.add(session) }) else { return false }
    defer { listeners.withLock { $0.remove(session) } }
    do throws(HTTPExchangeError) {
      try await send(to: exchange, while: isWelcome)
    } catch {
      exchange.abort()
    }
    return true
  }

  private func send(
    to exchange: HTTPExchange, while isWelcome: () -> Bool
  ) async throws(HTTPExchangeError) {
    var head = ResponseHead(status: 200)
    head.fields.append(.contentType, constant: "text/event-stream")
    head.fields.append(.cacheControl, constant: "no-store")
    try await exchange.start(head, framing: .chunked)
    try await exchange.write(Array("retry: 2000\n\n".utf8))
    var told = server.revision
    var isLastTold = false
    var silence = 0
    while true {
      await pause(exchange)
      if exchange.isClientGone { throw .disconnected }
      guard isWelcome() else { return try await exchange.finish() }
      let revision = server.revision
      silence += 1
      if revision != told || !isLastTold {
        isLastTold = revision == told
        told = revision
        silence = 0
        try await exchange.write(Array("event: changed\ndata: \(revision)\n\n".utf8))
      } else if silence >= LiveEvents.silentIntervals {
        silence = 0
        try await exchange.write(Array(":\n\n".utf8))
      }
    }
  }

  /// Waits for the next moment to look, or until the page is closed.
  private func pause(_ exchange: HTTPExchange) async {
    if exchange.isClientGone { return }
    await withCheckedContinuation { continuation in
      let timer = LoopTimer(on: exchange.loop) {
        exchange.onClientGone = nil
        continuation.resume()
      }
      exchange.onClientGone = {
        timer.stop()
        continuation.resume()
      }
      timer.start(after: LiveEvents.interval)
    }
  }
}

/// How many pages listen.
struct Listeners {
  private var count = 0
  private var ofKeys = 0
  private var ofCredential: [SHA256Digest: Int] = [:]

  /// False where too many listen already.
  mutating func add(_ session: Session) -> Bool {
    let own = ofCredential[session.digest] ?? 0
    guard count < LiveEvents.capacity, own < LiveEvents.mostOfCredential,
      !session.isOfKey || ofKeys < LiveEvents.mostOfKeys
    else { return false }
    count += 1
    if session.isOfKey { ofKeys += 1 }
    ofCredential[session.digest] = own + 1
    return true
  }

  mutating func remove(_ session: Session) {
    count -= 1
    if session.isOfKey { ofKeys -= 1 }
    let own = (ofCredential[session.digest] ?? 0) - 1
    ofCredential[session.digest] = own > 0 ? own : nil
  }
}
