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
