public import HTTP

/// One request to a provider.
public struct UpstreamRequest: Sendable {
  /// The absolute URL, `http` or `https`. The path is sent unchanged.
  public var url: String
  public var method: Method
  /// The fields, sent in this order. `Host`, `Connection`, `Expect` and the fields that frame the
  /// body are left out, because they belong to the connection. Nothing is added: without `Accept`,
  /// none is sent. A request to upgrade says so in `Connection`.
  public var fields: HeaderFields
  public var body: UpstreamBody
  /// The time from the start until the request can be sent: waiting for a free connection, name
  /// resolution, connecting and the TLS handshake together. Positive.
  public var connectTimeout: Duration
  /// The longest silence after that, in both directions. Waits for the caller to read or to send
  /// don't count. Positive.
  public var idleTimeout: Duration
  /// A PEM file of certificate authorities in addition to the system's; nil for none.
  public var certificateAuthorities: String?
  /// The object that counts the body's memory. It is released together with the bytes of the body.
  public var bodyKeeper: (any AnyObject & Sendable)?

  public init(
    url: String, method: Method, fields: HeaderFields = HeaderFields(),
    body: UpstreamBody = .none, connectTimeout: Duration, idleTimeout: Duration,
    certificateAuthorities: String? = nil, bodyKeeper: (any AnyObject & Sendable)? = nil
  ) {
    self.url = url
    self.method = method
    self.fields = fields
    self.body = body
    self.connectTimeout = connectTimeout
    self.idleTimeout = idleTimeout
    self.certificateAuthorities = certificateAuthorities
    self.bodyKeeper = bodyKeeper
  }
}

/// The content of a request. `HEAD` is sent without content.
public enum UpstreamBody: Sendable {
  case none
  /// The whole content. It can be sent again if a pooled connection turns out to be dead.
  case bytes([UInt8])
  /// Content that `Transfer.send` delivers. With a length in bytes, the request states it; without
  /// one, the content is sent in chunks.
  case stream(length: Int64?)
  /// No content. The request asks to continue with another protocol, which its `Upgrade` names.
  /// After a 101, `Transfer.send` sends bytes unchanged.
  case upgrade
}
