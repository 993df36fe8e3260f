public import EventLoop
public import HTTP

/// Calls services on our own behalf, each call as a whole and within a time; on one event loop.
public final class ServiceClient {
  /// An answer of any status.
  public struct Answer: Sendable {
    public let status: Int
    public let fields: HeaderFields
    /// Nil where it broke off, or is longer than any that is wanted.
    public let body: [UInt8]?
  }

  private let loop: EventLoop
  /// Made for the first call.
  private var upstream: UpstreamClient?
  private var transfers: [ObjectIdentifier: Transfer] = [:]
  private var isClosed = false

  /// So much of an answer is read.
  static let largestAnswer = 4 << 20

  public init(on loop: EventLoop) {
    self.loop = loop
  }

  /// Makes a call. A redirection is an answer like any other.
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

  /// It is read whatever it is for, so that its connection can be used again.
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

  /// Breaks off what is under way; nothing can be called any more.
  public func close() {
    guard !isClosed else { return }
    isClosed = true
    for transfer in transfers.values { transfer.cancel() }
    upstream?.close()
  }
}
