public import HTTP

/// One request to a provider.
public struct UpstreamRequest: Sendable {
  /// Absolute, `http` or `https`; the path is sent as it stands.
  public var url: String
  public var method: Method
  /// Sent in this order. `Host`, `Connection`, `Expect` and those that frame the body are left out:
  /// they belong to the connection. Nothing is added: without `Accept` none is sent. A request to
  /// upgrade says so in `Connection`.
  public var fields: HeaderFields
  public var body: UpstreamBody
  /// From the start until the request can be sent: waiting for a free connection, name resolution,
  /// connecting and the TLS handshake together. Positive.
  public var connectTimeout: Duration
  /// The longest silence after that, in both directions; waits for the caller, who doesn't read or
  /// has nothing to send, don't count. Positive.
  public var idleTimeout: Duration
  /// A PEM file of certificate authorities that are trusted besides the system's.
  public var certificateAuthorities: String?
  /// Let go of as soon as the bytes of the body are: what counts their memory.
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

/// The content of a request. `HEAD` is sent without one.
public enum UpstreamBody: Sendable {
  case none
  /// All of it; can be sent again when a pooled connection turns out to be dead.
  case bytes([UInt8])
  /// Handed over with `Transfer.send`. With a length in bytes the request says it; without one the
  /// content is sent in chunks.
  case stream(length: Int64?)
  /// None, but the connection is asked to go on with another protocol, which the request's
  /// `Upgrade` names: after a 101, what is handed over with `Transfer.send` goes out as it is.
  case upgrade
}
