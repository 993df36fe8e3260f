internal import EventLoop

/// The absolute base address of a provider's or another service's endpoints.
public struct BaseURL: Hashable, Sendable, CustomStringConvertible {
  public enum Scheme: String, Sendable, Hashable {
    case http, https
  }

  public let scheme: Scheme
  /// A name or address; an IPv6 address keeps its brackets.
  public let host: String
  /// The port; nil for the scheme's own.
  public let port: UInt16?
  /// Empty, or begins with a slash and doesn't end with one.
  public let path: String
  /// The whole address, created once, because every request's URL begins with it.
  public let description: String

  /// Parses an http or https address with a host and without user, query or fragment.
  public init?(_ text: String) {
    guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
      !text.contains(where: { "?#@\\\"<>^`{|}".contains($0) })
    else { return nil }
    let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let scheme = Scheme(rawValue: parts[0].lowercased()) else {
      return nil
    }
    let pathStart = parts[1].firstIndex(of: "/") ?? parts[1].endIndex
    guard let (host, port) = Self.hostAndPort(parts[1][..<pathStart]) else { return nil }
    var path = parts[1][pathStart...]
    while path.hasSuffix("/") { path.removeLast() }
    self.scheme = scheme
    self.host = host
    self.port = port
    self.path = String(path)
    description = "\(scheme.rawValue)://\(Self.authority(host, port))\(path)"
  }

  /// The host and port in the form of a `Host` header.
  public var authority: String { Self.authority(host, port) }

  private static func authority(_ host: String, _ port: UInt16?) -> String {
    port.map { "\(host):\($0)" } ?? host
  }

  /// The port of the connection.
  public var portInUse: UInt16 { port ?? (scheme == .https ? 443 : 80) }

  private static func hostAndPort(_ authority: Substring) -> (String, UInt16?)? {
    if authority.hasPrefix("[") {
      guard let bracket = authority.lastIndex(of: "]") else { return nil }
      let host = authority[...bracket]
      let rest = authority[authority.index(after: bracket)...]
      guard SocketAddress("\(host):0") != nil else { return nil }
      if rest.isEmpty { return (String(host), nil) }
      guard rest.hasPrefix(":"), let port = portNumber(rest.dropFirst()) else { return nil }
      return (String(host), port)
    }
    let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
    guard let host = parts.first, parts.count <= 2, isHostName(host) else { return nil }
    guard parts.count == 2 else { return (host.lowercased(), nil) }
    return portNumber(parts[1]).map { (host.lowercased(), $0) }
  }

  private static func portNumber(_ text: Substring) -> UInt16? {
    wholeNumber(text).flatMap(UInt16.init(exactly:)).flatMap { $0 == 0 ? nil : $0 }
  }

  private static func isHostName(_ host: Substring) -> Bool {
    guard (1...253).contains(host.utf8.count) else { return false }
    return host.utf8.allSatisfy {
      isAlphanumeric($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
        || $0 == UInt8(ascii: "_")
    }
  }
}
