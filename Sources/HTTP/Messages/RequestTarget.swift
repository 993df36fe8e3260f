/// The target of a request (RFC 9112 3.2): `/path?query`, a whole URL, or `*` with `OPTIONS`.
///
/// `path` and `query` are as sent. Routing must use `plainPath`.
public struct RequestTarget: Hashable, Sendable {
  /// The target exactly as sent.
  public let text: String

  /// The text from the `/` to before the `?`. `/` for a URL without a path; `*` for `OPTIONS *`.
  public let path: String

  /// The text after the `?`; nil without one.
  public let query: String?

  /// The `host[:port]` of a whole URL, which replaces the `Host` field's (RFC 9112 3.2.2); nil
  /// otherwise.
  public let authority: String?

  /// Parses the target of a request with `method`.
  ///
  /// - Throws: `HTTPError.invalidTarget` for any other form, a fragment, a space, a control or
  ///   non-ASCII byte, and `\ " < >`.
  public init(_ text: String, method: Method) throws(HTTPError) {
    try self.init(text.utf8.span, method: method)
  }

  init(_ bytes: Span<UInt8>, method: Method) throws(HTTPError) {
    guard !bytes.isEmpty, ByteSet.target.containsAll(bytes) else {
      throw .invalidTarget
    }
    text = String(bytes)
    if bytes[0] == ASCII.slash {
      authority = nil
      (path, query) = Self.pathAndQuery(bytes, whole: text)
    } else if bytes[0] == ASCII.asterisk, bytes.count == 1, method == .options {
      (path, query, authority) = (text, nil, nil)
    } else {
      guard let start = Self.authorityStart(in: bytes) else { throw .invalidTarget }
      var end = start
      while end < bytes.count, bytes[end] != ASCII.slash, bytes[end] != ASCII.questionMark {
        end += 1
      }
      let host = bytes.extracting(start..<end)
      guard Authority.isValid(host) else { throw .invalidTarget }
      authority = String(host)
      let rest = bytes.extracting(end..<bytes.count)
      (path, query) = Self.pathAndQuery(rest, whole: String(rest))
    }
  }

  /// The path in the only spelling that is served; nil for a path that another server could read as
  /// a different one. See `plainPath(of:)`.
  public var plainPath: String? { Self.plainPath(of: path) }

  /// Returns a path in the only spelling that is served.
  ///
  /// The result is nil for an empty segment (including a slash at the end), for a segment of dots,
  /// and for any character except letters, digits and `-._~:@`. A plain path therefore has no
  /// escapes, no parameters (`;`) and no backslashes. Only an escaped colon is decoded, because
  /// some clients escape the colons of model names.
  ///
  /// Example: `/v1/models/ft%3Agpt-4o` gives `/v1/models/ft:gpt-4o`, and `/v1/files/%2e%2e/chat`
  /// gives nil.
  public static func plainPath(of path: String) -> String? {
    if path == "/" { return path }
    var plain = path
    if hasEscape(path) {
      plain = path.replacing("%3A", with: ":").replacing("%3a", with: ":")
    }
    let bytes = plain.utf8.span
    guard bytes.count > 0, bytes[0] == ASCII.slash, ByteSet.plainPath.containsAll(bytes)
    else { return nil }
    var length = 0
    var dots = 0
    for index in 1..<bytes.count {
      if bytes[index] == ASCII.slash {
        guard dots < length else { return nil }
        (length, dots) = (0, 0)
      } else {
        length += 1
        if bytes[index] == UInt8(ascii: ".") { dots += 1 }
      }
    }
    return dots < length ? plain : nil
  }

  /// Whether a path has a percent sign.
  public static func hasEscape(_ path: String) -> Bool {
    let bytes = path.utf8.span
    for index in bytes.indices where bytes[index] == UInt8(ascii: "%") { return true }
    return false
  }

  /// Returns the start of the authority after `http://` or `https://`; nil for any other bytes.
  private static func authorityStart(in bytes: Span<UInt8>) -> Int? {
    for scheme in ["http://", "https://"] {
      let length = scheme.utf8.count
      if bytes.count > length, bytes.extracting(0..<length).equalsIgnoringCase(scheme) {
        return length
      }
    }
    return nil
  }

  /// Splits the bytes. `whole` is the text of all of `bytes`, which is the path if there is no
  /// query.
  private static func pathAndQuery(
    _ bytes: Span<UInt8>, whole: String
  ) -> (path: String, query: String?) {
    guard let mark = bytes.firstIndex(of: ASCII.questionMark, in: bytes.indices) else {
      return (whole.isEmpty ? "/" : whole, nil)
    }
    let path = mark == 0 ? "/" : String(bytes.extracting(0..<mark))
    return (path, String(bytes.extracting(mark + 1..<bytes.count)))
  }
}
