internal import EventLoop
internal import JSON
internal import Logging
internal import TLS

/// The part of a server on one event loop: its listening sockets and its connections.
final class LoopPart {
  private let handler: any HTTPHandler
  private let limits: @Sendable () -> HTTPServerLimits
  private let proxies: @Sendable () -> TrustedProxies
  private let services: ListenerServices
  private let tls: Lock<TLSContext>?
  private let open: ConnectionCount
  private let logger: Logger
  private let loop: EventLoop
  private let scratch = ReadScratch()
  private var listeners: [ListeningSocket] = []
  private var connections: [ObjectIdentifier: Connection] = [:]
  /// The connections that came after `drain`.
  private var latecomers: [ObjectIdentifier: Connection] = [:]
  private var isDraining = false
  /// Whether a stop no longer waits.
  private var isHurried = false
  private let allEnded = Waiter<Void>()
  /// The number of connections that are being told that there is no room for them.
  private var refusalCount = 0

  /// The time that answers to latecomers may take after all other connections have ended.
  private static let latecomerPatience = Duration.seconds(1)
  /// The most refused connections that get an answer at the same time; further ones are closed
  /// without one.
  private static let mostRefusals = 64

  init(
    handler: any HTTPHandler, limits: @escaping @Sendable () -> HTTPServerLimits,
    proxies: @escaping @Sendable () -> TrustedProxies, services: ListenerServices,
    tls: Lock<TLSContext>?,
    open: ConnectionCount, logger: Logger, loop: EventLoop
  ) {
    self.handler = handler
    self.limits = limits
    self.proxies = proxies
    self.services = services
    self.tls = tls
    self.open = open
    self.logger = logger
    self.loop = loop
  }

  /// Listens on `addresses`; returns them with the kernel's ports.
  func listen(_ addresses: [SocketAddress]) throws(SystemError) -> [SocketAddress] {
    do {
      for address in addresses {
        let listener = try ListeningSocket(address, on: loop) { [unowned self] in accept($0) }
        listeners.append(listener)
      }
    } catch {
      for listener in listeners { listener.close() }
      throw error
    }
    return listeners.map(\.address)
  }

  private func accept(_ socket: StreamSocket) {
    let (limits, proxies) = (limits(), proxies())
    let origin = ConnectionOrigin(of: socket.peer, behind: proxies)
    let refusal = refusal(of: origin, limits)
    let admitted = refusal == nil
    guard admitted || refusalCount < LoopPart.mostRefusals else {
      socket.close(reset: true)
      return
    }
    if !admitted { refusalCount += 1 }
    let session: TLSSession?
    do throws(TLSError) {
      session = try tls.map { context throws(TLSError) in
        try TLSSession(server: context.withLock { $0 })
      }
    } catch {
      logger.log(.error, "tls_session_failed") { $0.member("reason", error.description) }
      socket.close(reset: true)
      leave(wasAdmitted: admitted)
      origin.leave(services)
      return
    }
    let transport = ConnectionTransport(socket, session: session, scratch: scratch)
    let connection = Connection(
      transport, from: origin, handler: handler,
      limits: admitted ? limits : limits.ofRefusedConnection, services: services,
      isLate: isDraining)
    if isDraining {
      latecomers[ObjectIdentifier(connection)] = connection
    } else {
      connections[ObjectIdentifier(connection)] = connection
    }
    let bound = LoopBound((part: self, connection: connection), on: loop)
    Task(executorPreference: loop) {
      let (part, connection) = bound.value
      if let refusal {
        await connection.refuseConnection(refusal)
      } else {
        await connection.serve()
      }
      part.leave(wasAdmitted: admitted)
      part.ended(connection)
    }
  }

  /// Returns the reason that a connection gets no place; nil if it has one. A load balancer's
  /// connection counts for the clients that it names later.
  private func refusal(
    of origin: ConnectionOrigin, _ limits: HTTPServerLimits
  ) -> HTTPRefusal? {
    guard origin.enter(limits, services, at: loop.now) else { return .tooManyConnectionsOfAddress }
    if open.enter(limit: limits.connections) { return nil }
    services.reports.note(.connections, of: limits, by: origin.client, at: loop.now)
    origin.leave(services)
    return .tooManyConnections
  }

  /// Gives back the place of a connection, served or refused.
  private func leave(wasAdmitted: Bool) {
    if wasAdmitted { open.leave() } else { refusalCount -= 1 }
  }

  private func ended(_ connection: Connection) {
    connections[ObjectIdentifier(connection)] = nil
    latecomers[ObjectIdentifier(connection)] = nil
    if isDraining && connections.isEmpty { allEnded.wake() }
  }

  /// Ends every connection: idle ones at once, busy ones after their exchange or after `duration`.
  /// New connections are still served for one request.
  func drain(within duration: Duration) async {
    guard !isDraining else { return }
    isDraining = true
    for (id, connection) in connections {
      if connection.isFresh {
        // Its first request may be on the way, so the connection is treated as a latecomer.
        connection.isLate = true
        connections[id] = nil
        latecomers[id] = connection
      } else {
        connection.stop()
      }
    }
    await waitForEnd(within: duration)
  }

  /// After `drain`: stops listening, and ends the latecomers.
  func close() async {
    for listener in listeners { listener.close() }
    swap(&connections, &latecomers)
    for connection in connections.values { connection.stop() }
    await waitForEnd(within: LoopPart.latecomerPatience)
  }

  private func waitForEnd(within duration: Duration) async {
    guard !connections.isEmpty else { return }
    if isHurried { breakOff() }
    let deadline = LoopTimer(on: loop) { [unowned self] in breakOff() }
    deadline.start(after: duration)
    await allEnded.wait()
    deadline.stop()
  }

  /// Breaks off every connection that a stop waits for, now or later.
  func breakOff() {
    isHurried = true
    guard isDraining else { return }
    for connection in connections.values { connection.breakOff() }
  }
}
