/// What a request is for (RFC 9112 3.2): `/path?query`, a whole URL, or `*` with `OPTIONS`.
///
/// Nothing is decoded or resolved: escapes and dot segments are as they were sent.
public struct RequestTarget: Hashable, Sendable {
  /// Exactly as sent.
  public let text: String

  /// From its `/` to before the `?`. `/` for a URL without a path; `*` for `OPTIONS *`.
  public let path: String

  /// What follows the `?`; nil without one.
  public let query: String?

  /// `host[:port]` of a whole URL, which then stands for the `Host` field's (RFC 9112 3.2.2).
  public let authority: String?

  /// Reads the target of a request with `method`.
  ///
  /// Throws `invalidTarget` for any other form, a fragment, a space, a control or non-ASCII byte,
  /// and `\ " < >`.
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

  /// Whether a segment of the path is `.` or `..`, also when dots or slashes are escaped. Whoever
  /// resolves such a path finds another one than was looked up here.
  public var hasDotSegments: Bool {
    guard path.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "%") })
    else { return false }
    let plain = path.lowercased().replacing("%2e", with: ".").replacing("%2f", with: "/")
    return plain.split(separator: "/").contains { $0 == "." || $0 == ".." }
  }

  /// Where the authority of `http://` or `https://` begins; nil for anything else.
  private static func authorityStart(in bytes: Span<UInt8>) -> Int? {
    for scheme in ["http://", "https://"] {
      let length = scheme.utf8.count
      if bytes.count > length, bytes.extracting(0..<length).equalsIgnoringCase(scheme) {
        return length
      }
    }
    return nil
  }

  /// `whole` is the text of all of `bytes`, and is the path when there is no query.
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
