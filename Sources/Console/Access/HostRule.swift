internal import Configuration
internal import EventLoop

/// Which names the admin listener answers to.
///
/// Another site can let its own name point at this machine (DNS rebinding). Its pages may then read
/// what a browser on this machine or network is answered here, `/metrics` included, which needs no
/// token. Such a request says the other site's name in `Host`. Example: `Host: evil.example:8081`
/// is refused, `Host: localhost:8081` is not.
///
/// With TLS there is no need: no certificate of this listener has the other site's name.
struct HostRule {
  let settings: AdminSettings

  /// - Parameter host: `host[:port]`; nil where a client of HTTP/1.0 doesn't say it.
  func allows(_ host: String?) -> Bool {
    guard settings.tls == nil, let host else { return true }
    let name = HostRule.name(in: host)
    if name == "localhost" || settings.hosts.contains(where: { $0.lowercased() == name }) {
      return true
    }
    // An address can't be made to point elsewhere.
    guard let address = SocketAddress(host: name, port: 0) else { return false }
    return address.isLoopback
      || settings.listen.contains { $0.isUnspecified || $0.host.lowercased() == address.host }
  }

  /// In lower case, without the port, brackets and the point at the end.
  private static func name(in host: String) -> String {
    let host = host.lowercased()
    if host.hasPrefix("[") { return String(host.dropFirst().prefix { $0 != "]" }) }
    let name = host.prefix { $0 != ":" }
    return String(name.hasSuffix(".") ? name.dropLast() : name)
  }
}
