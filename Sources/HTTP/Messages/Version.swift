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
