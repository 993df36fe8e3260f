public import HTTP

/// A response without its body.
public struct UpstreamResponseHead: Sendable {
  /// The protocol that the provider spoke.
  public enum Version: Hashable, Sendable {
    case http10
    case http11
    case http2
  }

  /// 200…999, or 101 where the request asked for an upgrade.
  public let status: Int
  public let version: Version
  /// As they came, in order, hop-by-hop fields included. The body is handed over without its
  /// transfer coding (chunks), but with its content coding.
  public let fields: HeaderFields

  public init(status: Int, version: Version, fields: HeaderFields) {
    self.status = status
    self.version = version
    self.fields = fields
  }
}
