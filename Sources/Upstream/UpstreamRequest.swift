internal import CCurl
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

/// The limits of one event loop's connections to providers.
public struct UpstreamSettings: Sendable {
  /// The most simultaneous transfers; further ones are refused.
  public var maximumTransfers = 10_000
  /// The most connections to one host, including idle ones; a transfer beyond it waits. The default
  /// equals `maximumTransfers`, so that no transfer waits for a connection.
  public var maximumConnectionsPerHost = 10_000
  /// The most connections to all hosts.
  public var maximumConnections = 10_000
  /// The most connections that stay open without a transfer.
  public var maximumIdleConnections = 256
  /// The idle time after which a connection isn't used again, because the provider may be closing
  /// it.
  public var idleConnectionAge: Duration = .seconds(60)
  /// Whether several transfers share one TLS connection if the provider supports HTTP/2.
  public var usesHTTP2 = true

  public init() {}
}

/// Owns a URL that libcurl has parsed, so that a transfer needn't parse it again. Parsing and
/// writing it would take half as long as all that the transfer sends.
@safe final class ParsedURL {
  let pointer: OpaquePointer

  /// The flags for parsing, which are those of `EasyHandle`'s URLs.
  private static let flags = UInt32(
    CURLU_GUESS_SCHEME | CURLU_NON_SUPPORT_SCHEME | CURLU_DISALLOW_USER | CURLU_PATH_AS_IS)

  /// Returns nil for a URL that libcurl refuses.
  init?(_ text: String) {
    guard let pointer = unsafe curl_url() else { preconditionFailure("out of memory") }
    guard unsafe curl_url_set(pointer, CURLUPART_URL, text, ParsedURL.flags) == CURLUE_OK else {
      unsafe curl_url_cleanup(pointer)
      return nil
    }
    unsafe self.pointer = pointer
  }

  deinit {
    unsafe curl_url_cleanup(pointer)
  }
}
