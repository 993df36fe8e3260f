public import EventLoop
public import HTTP

/// Calls services on Catraca's own behalf, on one event loop. Each call returns a whole answer
/// within a time limit.
public final class ServiceClient {
  /// An answer of any status.
  public struct Answer: Sendable {
    public let status: Int
    public let fields: HeaderFields
    /// The body; nil if it was cut off, or if it exceeds `largestAnswer`.
    public let body: [UInt8]?
  }

  private let loop: EventLoop
  /// The client, created for the first call.
  private var upstream: UpstreamClient?
  private var transfers: [ObjectIdentifier: Transfer] = [:]
  private var isClosed = false

  /// The most bytes of an answer that are read.
  static let largestAnswer = 4 << 20

  public init(on loop: EventLoop) {
    self.loop = loop
  }

  /// Makes a call. A redirection is returned like any other answer.
  /// - Throws: `UpstreamError`; `cancelled` if the timeout has passed or the client was closed.
  public func call(
    _ request: UpstreamRequest, within timeout: Duration
  ) async throws(UpstreamError) -> Answer {
    loop.preconditionOnLoop()
    guard !isClosed else { throw .cancelled(wasSent: false) }
    let transfer = try client().start(request)
    transfers[ObjectIdentifier(transfer)] = transfer
    let timer = LoopTimer(on: loop) { transfer.cancel() }
    timer.start(after: timeout)
    defer {
      timer.stop()
      transfers[ObjectIdentifier(transfer)] = nil
    }
    let head = try await transfer.head()
    return Answer(
      status: head.status, fields: head.fields, body: await ServiceClient.body(of: transfer))
  }

  private func client() -> UpstreamClient {
    if let upstream { return upstream }
    let made = UpstreamClient(on: loop)
    upstream = made
    return made
  }

  /// Reads the body even if it isn't needed, so that its connection can be used again.
  private static func body(of transfer: Transfer) async -> [UInt8]? {
    var body: [UInt8] = []
    var piece: [UInt8] = []
    do {
      while try await transfer.next(into: &piece) {
        body += piece
        guard body.count <= largestAnswer else {
          transfer.cancel()
          return nil
        }
      }
      return body
    } catch {
      transfer.cancel()
      return nil
    }
  }

  /// Cancels the calls in progress. No further call is possible.
  public func close() {
    guard !isClosed else { return }
    isClosed = true
    for transfer in transfers.values { transfer.cancel() }
    upstream?.close()
  }
}
