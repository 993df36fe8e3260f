/// The versions of HTTP that are read here.
public enum Version: Hashable, Sendable {
  case http10
  case http11

  /// Reads `HTTP/1.1`. Throws `unsupportedVersion` for other numbers, HTTP/2's preface included,
  /// and `malformedRequestLine` for what isn't a version.
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
