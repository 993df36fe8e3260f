internal import EventLoop
internal import HTTP

/// Where a connection comes from, and for which address it counts.
///
/// Behind a balancer there are two more places than the socket that may say so: a header before
/// the first byte of the client, and `X-Forwarded-For` of each request.
final class ConnectionOrigin {
  private let proxies: TrustedProxies
  /// Who has connected, or whom a balancer's header names; nil when the peer was gone at once.
  private(set) var client: SocketAddress?
  /// Where the connection is counted; nil where it counts for no address.
  private var share: AddressShares.Share?
  /// Whether it counts in `share` now: not while it serves a request of a valid credential.
  private var isCounted = true
  /// Where a request is counted that came through a balancer, until its credential is known.
  private var requestShare: AddressShares.Share?

  init(of peer: SocketAddress?, behind proxies: TrustedProxies) {
    client = peer
    self.proxies = proxies
  }

  // MARK: Whose it is

  /// The balancer that has connected and must name its client first; nil where nobody has to.
  var awaitedBalancer: SocketAddress? {
    guard proxies.sendHeader, let client, proxies.contains(client) else { return nil }
    return client
  }

  /// Takes what a balancer's header says.
  func take(_ source: ProxyHeader.Source) {
    if case .client(let address) = source { client = address }
  }

  /// Whom a request is from.
  func client(of fields: HeaderFields) -> SocketAddress? {
    client.map { proxies.client(of: $0, fields) }
  }

  // MARK: Where it counts

  /// Counts the connection for its client, unless it counts already or is a balancer's; false where
  /// the client has too many.
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

  /// Counts a request for the client that a balancer names in it; false where that client has too
  /// many.
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

  /// The request that is served has a valid credential: it counts for no address.
  func stopCounting(_ services: ListenerServices) {
    if isCounted { share?.subtract() }
    isCounted = false
    leaveRequest(services)
  }

  /// The request is over.
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

  /// The connection is over.
  func leave(_ services: ListenerServices) {
    leaveRequest(services)
    guard let share else { return }
    services.shares.leave(share, isCounted: isCounted)
    self.share = nil
  }
}
