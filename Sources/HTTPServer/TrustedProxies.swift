public import EventLoop
internal import HTTP

/// The load balancers in front of a listener whose statement of a client's address is trusted.
///
/// Without load balancers, the client's address is the peer's, whatever the header says.
public struct TrustedProxies: Sendable {
  private let ranges: [AddressRange]
  /// Whether they begin each connection with a PROXY protocol header.
  let sendHeader: Bool

  public static let none = TrustedProxies([])

  public init(_ ranges: [AddressRange], sendHeader: Bool = false) {
    self.ranges = ranges
    self.sendHeader = sendHeader
  }

  func contains(_ address: SocketAddress) -> Bool {
    !ranges.isEmpty && ranges.contains { $0.contains(address) }
  }

  /// The most load balancers in a row; entries before those are ignored.
  private static let mostHops = 32

  /// Returns the client for which `peer` forwards a request.
  ///
  /// Each load balancer appends its caller's address to `X-Forwarded-For`. The last entry that
  /// isn't a load balancer's own is therefore the client. The client itself may have written the
  /// entries before it. If an entry isn't an address, the load balancer that appended it counts as
  /// the client.
  ///
  /// Example: behind 10.0.0.0/8, the peer 10.0.0.1 with `1.1.1.1, 203.0.113.9, 10.0.0.2` forwards a
  /// request of 203.0.113.9.
  func client(of peer: SocketAddress, _ fields: HeaderFields) -> SocketAddress {
    guard contains(peer) else { return peer }
    var client = peer
    var hops = 0
    for value in fields.values(.xForwardedFor).reversed() {
      for entry in value.split(separator: ",", omittingEmptySubsequences: false).reversed() {
        hops += 1
        guard hops <= TrustedProxies.mostHops, let address = TrustedProxies.address(entry) else {
          return client
        }
        client = address
        guard contains(address) else { return client }
      }
    }
    return client
  }

  /// Parses `203.0.113.9`, `2001:db8::1` or `[2001:db8::1]`. The first and the last may have a
  /// port.
  private static func address(_ entry: Substring) -> SocketAddress? {
    let text = entry.drop { $0 == " " || $0 == "\t" }
    let end = text.lastIndex { $0 != " " && $0 != "\t" }
    guard let end else { return nil }
    let host = String(text[...end])
    if let address = SocketAddress(host: host, port: 0) ?? SocketAddress(host) { return address }
    guard host.hasPrefix("["), host.hasSuffix("]") else { return nil }
    return SocketAddress(host: String(host.dropFirst().dropLast()), port: 0)
  }
}
