/// The name of a header field: a token of RFC 9110, compared without regard to case.
public struct FieldName: Hashable, Sendable {
  /// The bytes of the name in lower case.
  let bytes: [UInt8]

  /// Returns nil if `text` isn't a token, so that a name can't contain a colon, a space or a line
  /// end.
  public init?(_ text: String) {
    self.init(text.utf8.span)
  }

  /// Returns nil if `bytes` aren't a token.
  public init?(_ bytes: Span<UInt8>) {
    guard !bytes.isEmpty, ByteSet.token.containsAll(bytes) else { return nil }
    var lowercased: [UInt8] = []
    lowercased.reserveCapacity(bytes.count)
    for index in bytes.indices {
      lowercased.append(bytes[index].lowercasedASCII)
    }
    self.bytes = lowercased
  }

  /// The name in lower case.
  public var lowercased: String {
    String(bytes.span)
  }

  /// Whether a name has only letters, digits and hyphens. Many servers treat other characters as
  /// hyphens.
  public static func isPlain(_ name: Span<UInt8>) -> Bool {
    ByteSet.plainName.containsAll(name)
  }

  /// Whether a name begins with this text, in any case.
  ///
  /// - Parameter lowercase: The text, without capital letters.
  public static func isBeginning(_ lowercase: StaticString, of name: Span<UInt8>) -> Bool {
    let count = lowercase.utf8CodeUnitCount
    guard name.count > count else { return false }
    return lowercase.withUTF8Buffer { buffer in
      let beginning = unsafe buffer.span
      return name.extracting(0..<count).equalsIgnoringCase(beginning)
    }
  }

  /// Whether `name`, in any case, is this one.
  public func matches(_ name: Span<UInt8>) -> Bool {
    name.equalsIgnoringCase(bytes.span)
  }
}

extension FieldName: ExpressibleByStringLiteral {
  /// Creates a name from a literal. A literal that isn't a token is a programming error and traps.
  public init(stringLiteral text: StaticString) {
    guard let name = FieldName(text.description) else {
      preconditionFailure("not a field name: \(text)")
    }
    self = name
  }
}

extension FieldName: CustomStringConvertible {
  public var description: String { lowercased }
}

extension FieldName {
  public static let accept: FieldName = "accept"
  public static let acceptEncoding: FieldName = "accept-encoding"
  public static let authorization: FieldName = "authorization"
  public static let cacheControl: FieldName = "cache-control"
  public static let connection: FieldName = "connection"
  public static let contentEncoding: FieldName = "content-encoding"
  public static let contentLength: FieldName = "content-length"
  public static let contentType: FieldName = "content-type"
  public static let cookie: FieldName = "cookie"
  public static let date: FieldName = "date"
  public static let etag: FieldName = "etag"
  public static let expect: FieldName = "expect"
  public static let host: FieldName = "host"
  public static let idempotencyKey: FieldName = "idempotency-key"
  public static let ifNoneMatch: FieldName = "if-none-match"
  public static let keepAlive: FieldName = "keep-alive"
  public static let location: FieldName = "location"
  public static let origin: FieldName = "origin"
  public static let proxyAuthenticate: FieldName = "proxy-authenticate"
  public static let proxyAuthorization: FieldName = "proxy-authorization"
  public static let proxyConnection: FieldName = "proxy-connection"
  public static let retryAfter: FieldName = "retry-after"
  public static let server: FieldName = "server"
  public static let setCookie: FieldName = "set-cookie"
  public static let te: FieldName = "te"
  public static let traceparent: FieldName = "traceparent"
  public static let tracestate: FieldName = "tracestate"
  public static let trailer: FieldName = "trailer"
  public static let transferEncoding: FieldName = "transfer-encoding"
  public static let upgrade: FieldName = "upgrade"
  public static let userAgent: FieldName = "user-agent"
  public static let xForwardedFor: FieldName = "x-forwarded-for"
}
