internal import EventLoop
internal import HTTP
internal import HTTPServer

/// Tells open pages that figures have changed (server-sent events); what they are now, a page then
/// asks as it asked before.
///
/// However much happens, a page is told twice a second at most, and once more after the last
/// change: by then what was settled is in the ledger. It is told once when it begins to listen,
/// since something may have changed between its figures and that.
final class LiveEvents: Sendable {
  static let capacity = 100
  private static let interval = Duration.milliseconds(500)
  /// How many intervals without news pass before the connection is tried.
  private static let silentIntervals = 30

  private let listeners = Lock(0)
  private let server: any RunningServer

  init(server: any RunningServer) {
    self.server = server
  }

  /// Tells one page, until it is closed or `isWelcome` no longer holds; false where too many
  /// listen, with nothing answered.
  func serve(_ exchange: HTTPExchange, while isWelcome: () -> Bool) async -> Bool {
    guard
      listeners.withLock({ count in
        if count >= LiveEvents.capacity { return false }
        count += 1
        return true
      })
    else { return false }
    defer { listeners.withLock { $0 -= 1 } }
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
