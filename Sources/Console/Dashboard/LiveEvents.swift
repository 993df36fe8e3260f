internal import EventLoop
internal import HTTP
internal import HTTPServer
internal import TLS

/// Notifies open pages of changed figures (server-sent events). A page then requests itself again.
///
/// A page gets at most two notices per second, and one more after the last change, when everything
/// settled is in the ledger. It also gets one when it connects, since figures may have changed
/// after the page was made.
final class LiveEvents: Sendable {
  /// The most open pages in all, of clients' keys, and of one token or key. Clients' pages can
  /// therefore never use up the places of administrators.
  static let capacity = 100
  static let mostOfKeys = 50
  static let mostOfCredential = 20
  private static let interval = Duration.milliseconds(500)
  /// How many intervals without a notice pass before a comment tests the connection.
  private static let silentIntervals = 30

  private let listeners = Lock(Listeners())
  private let server: any RunningServer

  init(server: any RunningServer) {
    self.server = server
  }

  /// Serves one page until it is closed or `isWelcome` returns false. Returns false, without an
  /// answer, if too many pages listen.
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

  /// Waits one interval, or until the page is closed.
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

/// Counts the open pages.
struct Listeners {
  private var count = 0
  private var ofKeys = 0
  private var ofCredential: [SHA256Digest: Int] = [:]

  /// Counts a page of the session. Returns false if there are too many.
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
