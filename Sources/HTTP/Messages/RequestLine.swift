/// The first line of a request (RFC 9112 3): method, target and version, with one space between
/// each.
struct RequestLine: Sendable {
  let method: Method
  let target: RequestTarget
  let version: Version

  /// Parses a line without its CRLF.
  init(_ line: Span<UInt8>, maximumTargetBytes: Int) throws(HTTPError) {
    guard let methodEnd = line.firstIndex(of: ASCII.space, in: line.indices),
      let targetEnd = line.firstIndex(of: ASCII.space, in: methodEnd + 1..<line.count)
    else { throw .malformedRequestLine }
    // The version is read first, because the meaning of the rest depends on it.
    version = try Version(line.extracting(targetEnd + 1..<line.count))
    method = try Method(String(line.extracting(0..<methodEnd)))
    let target = line.extracting(methodEnd + 1..<targetEnd)
    guard target.count <= maximumTargetBytes else { throw .targetTooLong }
    self.target = try RequestTarget(target, method: method)
  }
}

/// The method of a request (RFC 9110 9). Names are case-sensitive.
public enum Method: Hashable, Sendable {
  case get
  case head
  case post
  case put
  case patch
  case delete
  case options
  case trace
  /// Any other token except `CONNECT`.
  case other(String)

  /// Creates the method named `name`.
  ///
  /// - Throws: `HTTPError.malformedRequestLine` if it isn't a token; `HTTPError.unsupportedMethod`
  ///   for `CONNECT`, which would turn the connection into a tunnel.
  public init(_ name: String) throws(HTTPError) {
    switch name {
    case "GET": self = .get
    case "HEAD": self = .head
    case "POST": self = .post
    case "PUT": self = .put
    case "PATCH": self = .patch
    case "DELETE": self = .delete
    case "OPTIONS": self = .options
    case "TRACE": self = .trace
    case "CONNECT": throw .unsupportedMethod
    default:
      guard !name.isEmpty, name.utf8.allSatisfy(ByteSet.token.contains) else {
        throw .malformedRequestLine
      }
      self = .other(name)
    }
  }

  /// The name as it is sent.
  public var name: String {
    switch self {
    case .get: "GET"
    case .head: "HEAD"
    case .post: "POST"
    case .put: "PUT"
    case .patch: "PATCH"
    case .delete: "DELETE"
    case .options: "OPTIONS"
    case .trace: "TRACE"
    case .other(let name): name
    }
  }
}

/// The versions of HTTP that this module reads.
public enum Version: Hashable, Sendable {
  case http10
  case http11

  /// Parses `HTTP/1.1`.
  /// - Throws: `HTTPError.unsupportedVersion` for other numbers, including HTTP/2's preface;
  ///   `HTTPError.malformedRequestLine` for any other text.
  init(_ bytes: Span<UInt8>) throws(HTTPError) {
    switch String(bytes) {
    case "HTTP/1.1": self = .http11
    case "HTTP/1.0": self = .http10
    case let text:
      let form = Array(text.utf8)
      guard form.count == 8, text.hasPrefix("HTTP/"), form[5].decimalDigit != nil,
        form[6] == UInt8(ascii: "."), form[7].decimalDigit != nil
      else { throw .malformedRequestLine }
      throw .unsupportedVersion
    }
  }
}

/// The rules for `host[:port]`, in a `Host` field or an absolute target.
enum Authority {
  /// Whether the bytes are a name, an IPv4 address or an IPv6 address in brackets, with an optional
  /// port up to 65535. User names, escapes and an empty host are refused.
  static func isValid(_ bytes: Span<UInt8>) -> Bool {
    guard let hostEnd = hostEnd(of: bytes) else { return false }
    guard hostEnd < bytes.count else { return true }
    return bytes[hostEnd] == ASCII.colon && isPort(bytes.extracting(hostEnd + 1..<bytes.count))
  }

  private static func hostEnd(of bytes: Span<UInt8>) -> Int? {
    guard !bytes.isEmpty else { return nil }
    if bytes[0] == UInt8(ascii: "[") {
      guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]"), in: bytes.indices), bracket > 1,
        ByteSet.addressLiteral.containsAll(bytes.extracting(1..<bracket))
      else { return nil }
      return bracket + 1
    }
    let end = bytes.firstIndex(of: ASCII.colon, in: bytes.indices) ?? bytes.count
    guard end > 0, ByteSet.hostName.containsAll(bytes.extracting(0..<end)) else { return nil }
    return end
  }

  private static func isPort(_ bytes: Span<UInt8>) -> Bool {
    guard 1...5 ~= bytes.count else { return false }
    var port = 0
    for index in bytes.indices {
      guard let digit = bytes[index].decimalDigit else { return false }
      port = port * 10 + digit
    }
    return port <= 65535
  }
}
