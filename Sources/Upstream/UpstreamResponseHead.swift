public import HTTP

/// A response without its body.
public struct UpstreamResponseHead: Sendable {
  /// The provider's protocol version.
  public enum Version: Hashable, Sendable {
    case http10
    case http11
    case http2
  }

  /// 200…999, or 101 if the request asked for an upgrade.
  public let status: Int
  public let version: Version
  /// The fields in their order, including hop-by-hop fields. The body is delivered without its
  /// transfer coding (chunks), but with its content coding.
  public let fields: HeaderFields

  public init(status: Int, version: Version, fields: HeaderFields) {
    self.status = status
    self.version = version
    self.fields = fields
  }
}
