internal import EventLoop
internal import Upstream

/// Posts to webhooks, on one event loop.
final class WebhookClient {
  private let loop: EventLoop
  /// Made for the first post.
  private var upstream: UpstreamClient?
  private var transfers: [ObjectIdentifier: Transfer] = [:]
  private var isClosed = false

  /// So much of an answer is read, to use its connection again; the rest isn't wanted.
  private static let largestAnswer = 64 << 10

  init(on loop: EventLoop) {
    self.loop = loop
  }

  /// The status of the answer. A redirection is an answer like any other.
  func post(
    _ request: WebhookRequest, within timeout: Duration
  ) async throws(UpstreamError) -> Int {
    loop.preconditionOnLoop()
    guard !isClosed else { throw .cancelled(wasSent: false) }
    let transfer = try client().start(request.upstream)
    transfers[ObjectIdentifier(transfer)] = transfer
    let timer = LoopTimer(on: loop) { transfer.cancel() }
    timer.start(after: timeout)
    defer {
      timer.stop()
      transfers[ObjectIdentifier(transfer)] = nil
    }
    let status = try await transfer.head().status
    await WebhookClient.readRest(of: transfer)
    return status
  }

  private func client() -> UpstreamClient {
    if let upstream { return upstream }
    let made = UpstreamClient(on: loop)
    upstream = made
    return made
  }

  /// The status is all that counts: an answer that breaks off behind it is one all the same.
  private static func readRest(of transfer: Transfer) async {
    var piece: [UInt8] = []
    var count = 0
    do {
      while try await transfer.next(into: &piece) {
        count += piece.count
        if count > largestAnswer { return transfer.cancel() }
      }
    } catch {
      transfer.cancel()
    }
  }

  /// Breaks off what is under way.
  func close() {
    isClosed = true
    for transfer in transfers.values { transfer.cancel() }
    upstream?.close()
  }
}
