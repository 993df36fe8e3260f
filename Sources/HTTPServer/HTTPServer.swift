public import EventLoop
public import Logging
internal import Synchronization
public import TLS

/// Listens on addresses with every loop of a group, and serves their connections.
///
/// `stop` closes idle connections, waits for exchanges in progress up to its time limit, and breaks
/// the rest. The server listens until then, so that the handler can tell new clients that the
/// server is stopping.
public final class HTTPServer: Sendable {
  /// The addresses of the listener, with the ports that the kernel assigned.
  public let addresses: [SocketAddress]
  private let parts: [(loop: EventLoop, part: LoopBound<LoopPart>)]
  private let open: ConnectionCount

  /// Starts to listen. Each connection keeps the `limits` and `proxies` in force when it begins.
  /// With `tls`, it begins with a handshake under the context that `tls` has at that time.
  ///
  /// - Parameters:
  ///   - proxies: The trusted load balancers.
  ///   - bodies: Counts the bodies of all listeners of the process.
  ///   - reports: Reports the limits that clients meet; nil creates the listener's own.
  /// - Throws: `SystemError` if an address can't be listened on.
  public init(
    _ addresses: [SocketAddress], on loops: [EventLoop], handler: any HTTPHandler,
    limits: @escaping @Sendable () -> HTTPServerLimits = { HTTPServerLimits() },
    proxies: @escaping @Sendable () -> TrustedProxies = { .none },
    bodies: BodyMemory = BodyMemory(), reports: ListenerReports? = nil,
    tls: Lock<TLSContext>? = nil, logger: Logger
  ) async throws(SystemError) {
    let services = ListenerServices(
      bodies: bodies, reports: reports ?? ListenerReports(logger: logger))
    for address in addresses { try ListeningSocket.checkIsFree(address) }
    let open = ConnectionCount()
    var bound = addresses
    var parts: [(loop: EventLoop, part: LoopBound<LoopPart>)] = []
    for loop in loops {
      let wanted = bound
      let started = await Task(executorPreference: loop) { () -> Result<_, SystemError> in
        let part = LoopPart(
          handler: handler, limits: limits, proxies: proxies, services: services, tls: tls,
          open: open, logger: logger, loop: loop)
        do throws(SystemError) {
          let addresses = try part.listen(wanted)
          return .success((LoopBound(part, on: loop), addresses))
        } catch {
          return .failure(error)
        }
      }.value
      switch started {
      case .success(let (part, addresses)):
        bound = addresses
        parts.append((loop, part))
      case .failure(let error):
        await HTTPServer.stop(parts, within: .zero)
        throw error
      }
    }
    self.addresses = bound
    self.parts = parts
    self.open = open
  }

  /// The number of open connections.
  public var connectionCount: Int { open.value }

  /// Stops, and returns when every connection has ended.
  public func stop(within duration: Duration) async {
    await HTTPServer.stop(parts, within: duration)
  }

  /// Ends the waiting of a stop: breaks off the exchanges in progress.
  public func breakOff() async {
    await HTTPServer.forEach(parts) { $0.breakOff() }
  }

  private static func stop(
    _ parts: [(loop: EventLoop, part: LoopBound<LoopPart>)], within duration: Duration
  ) async {
    await forEach(parts) { await $0.drain(within: duration) }
    await forEach(parts) { await $0.close() }
  }

  private static func forEach(
    _ parts: [(loop: EventLoop, part: LoopBound<LoopPart>)],
    _ body: @escaping @Sendable (LoopPart) async -> Void
  ) async {
    await withTaskGroup(of: Void.self) { group in
      for (loop, part) in parts {
        group.addTask(executorPreference: loop) { await body(part.value) }
      }
    }
  }
}

extension HTTPServer {
  /// Serves one existing connection until it ends: for tests, over one end of
  /// `StreamSocket.pair(on:)`. Everything except the listening is as for any other connection.
  ///
  /// - Parameter peer: The client's address; nil for a peer that was gone at once.
  package static func serve(
    _ socket: StreamSocket, from peer: SocketAddress?, by handler: any HTTPHandler,
    limits: HTTPServerLimits = HTTPServerLimits(), logger: Logger
  ) async {
    let services = ListenerServices(
      bodies: BodyMemory(), reports: ListenerReports(logger: logger))
    let transport = ConnectionTransport(socket, session: nil, scratch: ReadScratch())
    let connection = Connection(
      transport, from: ConnectionOrigin(of: peer, behind: .none), handler: handler,
      limits: limits, services: services, isLate: false)
    await connection.serve()
  }
}

/// The objects that the connections of a listener share, over all its loops.
final class ListenerServices: Sendable {
  let bodies: BodyMemory
  let reports: ListenerReports
  let shares = AddressShares()
  let requests = RequestShares()

  init(bodies: BodyMemory, reports: ListenerReports) {
    self.bodies = bodies
    self.reports = reports
  }
}

/// The number of open connections of a server, over all its loops.
final class ConnectionCount: Sendable {
  private let count = Atomic<Int>(0)

  var value: Int { count.load(ordering: .relaxed) }

  /// Counts one more connection, unless that would exceed `limit`.
  func enter(limit: Int) -> Bool {
    if count.add(1, ordering: .relaxed).newValue <= limit { return true }
    count.subtract(1, ordering: .relaxed)
    return false
  }

  func leave() {
    count.subtract(1, ordering: .relaxed)
  }
}
