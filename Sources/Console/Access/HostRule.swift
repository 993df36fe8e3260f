internal import Configuration
internal import EventLoop

/// The host names that the admin listener answers to.
///
/// Another site can point its own name at this machine (DNS rebinding). Its pages could then read,
/// in a browser on this machine or network, everything that needs no token, such as `/metrics`.
/// Such a request has the other site's name in `Host`. Example: `Host: evil.example:8081` is
/// refused, `Host: localhost:8081` is not.
///
/// With TLS the rule isn't needed: the listener's certificate doesn't have the other site's name.
struct HostRule {
  let settings: AdminSettings

  /// - Parameter host: `host[:port]`; nil if the request has no such field (HTTP/1.0).
  func allows(_ host: String?) -> Bool {
    guard settings.tls == nil, let host else { return true }
    let name = HostRule.name(in: host)
    if name == "localhost" || settings.hosts.contains(where: { $0.lowercased() == name }) {
      return true
    }
    // DNS can't change where an IP address points.
    guard let address = SocketAddress(host: name, port: 0) else { return false }
    return address.isLoopback
      || settings.listen.contains { $0.isUnspecified || $0.host.lowercased() == address.host }
  }

  /// The name in lower case, without port, brackets and trailing dot.
  private static func name(in host: String) -> String {
    let host = host.lowercased()
    if host.hasPrefix("[") { return String(host.dropFirst().prefix { $0 != "]" }) }
    let name = host.prefix { $0 != ":" }
    return String(name.hasSuffix(".") ? name.dropLast() : name)
  }
}
