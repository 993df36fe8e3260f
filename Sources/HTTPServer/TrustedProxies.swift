public import EventLoop
internal import HTTP

/// The balancers in front of a listener, whose word for a client's address is believed.
///
/// Where no balancer is listed, the address of a client is the peer's, whatever its header says.
public struct TrustedProxies: Sendable {
  private let ranges: [AddressRange]
  /// Whether they begin each connection with a header of the PROXY protocol.
  let sendHeader: Bool

  public static let none = TrustedProxies([])

  public init(_ ranges: [AddressRange], sendHeader: Bool = false) {
    self.ranges = ranges
    self.sendHeader = sendHeader
  }

  func contains(_ address: SocketAddress) -> Bool {
    !ranges.isEmpty && ranges.contains { $0.contains(address) }
  }

  /// The most balancers in a row; entries before those are not looked at.
  private static let mostHops = 32

  /// The address of the client that `peer` forwards a request of.
  ///
  /// Each balancer appends the address that it was called from to `X-Forwarded-For`, so the last
  /// entry that isn't a balancer's own is the client. Entries before it are the client's word.
  /// Where an entry isn't an address, the balancer that appended it is taken for the client.
  ///
  /// Example: behind 10.0.0.0/8, the peer 10.0.0.1 with `1.1.1.1, 203.0.113.9, 10.0.0.2` is a
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

  /// Reads `203.0.113.9`, `2001:db8::1` or `[2001:db8::1]`, each of the first and last with a port
  /// or without.
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
