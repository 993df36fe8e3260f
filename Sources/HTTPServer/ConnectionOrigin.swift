internal import EventLoop
internal import HTTP

/// The origin of a connection, and the address for which it counts.
///
/// Behind a load balancer, two more places may state the origin: a header before the client's first
/// byte, and the `X-Forwarded-For` of each request.
final class ConnectionOrigin {
  private let proxies: TrustedProxies
  /// The peer, or the client that a load balancer's header names; nil if the peer was gone at once.
  private(set) var client: SocketAddress?
  /// The share in which the connection counts; nil if it counts for no address.
  private var share: AddressShares.Share?
  /// Whether the connection counts in `share` now. It doesn't while it serves a request with a
  /// valid credential.
  private var isCounted = true
  /// The share of a request that came through a load balancer, until its credential is known.
  private var requestShare: AddressShares.Share?

  init(of peer: SocketAddress?, behind proxies: TrustedProxies) {
    client = peer
    self.proxies = proxies
  }

  // MARK: Client

  /// The load balancer that must name its client first; nil if no header is expected.
  var awaitedBalancer: SocketAddress? {
    guard proxies.sendHeader, let client, proxies.contains(client) else { return nil }
    return client
  }

  /// Applies a load balancer's header.
  func take(_ source: ProxyHeader.Source) {
    if case .client(let address) = source { client = address }
  }

  /// Returns the client of a request.
  func client(of fields: HeaderFields) -> SocketAddress? {
    client.map { proxies.client(of: $0, fields) }
  }

  // MARK: Where it counts

  /// Counts the connection for its client, unless it already counts or comes from a load balancer;
  /// returns false if the client has too many.
  func enter(
    _ limits: HTTPServerLimits, _ services: ListenerServices, at now: MonotonicInstant
  ) -> Bool {
    guard share == nil, let client, !proxies.contains(client) else { return true }
    share = services.shares.enter(client.network, limit: limits.connectionsPerAddress)
    if share == nil {
      services.reports.note(.connectionsPerAddress, of: limits, by: client, at: now)
    }
    return share != nil
  }

  /// Counts a request for the client that a load balancer names; returns false if that client has
  /// too many.
  func enterRequest(
    of address: SocketAddress?, _ limits: HTTPServerLimits, _ services: ListenerServices,
    at now: MonotonicInstant
  ) -> Bool {
    guard let address, address != client, !proxies.contains(address) else { return true }
    requestShare = services.shares.enter(address.network, limit: limits.connectionsPerAddress)
    if requestShare == nil {
      services.reports.note(.connectionsPerAddress, of: limits, by: address, at: now)
    }
    return requestShare != nil
  }

  /// Stops counting for any address while a request with a valid credential is served.
  func stopCounting(_ services: ListenerServices) {
    if isCounted { share?.subtract() }
    isCounted = false
    leaveRequest(services)
  }

  /// Counts again after the request.
  func countAgain(_ services: ListenerServices) {
    if !isCounted { share?.add() }
    isCounted = true
    leaveRequest(services)
  }

  private func leaveRequest(_ services: ListenerServices) {
    guard let requestShare else { return }
    services.shares.leave(requestShare, isCounted: true)
    self.requestShare = nil
  }

  /// Ends the counting with the connection.
  func leave(_ services: ListenerServices) {
    leaveRequest(services)
    guard let share else { return }
    services.shares.leave(share, isCounted: isCounted)
    self.share = nil
  }
}
