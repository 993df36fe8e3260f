/// The reason why a text isn't taken as JSON.
public enum JSONError: Error, Hashable, Sendable {
  /// No bytes, or white space only.
  case empty
  /// Not JSON, an escape that is half of a surrogate pair, or a number that neither 64 bits nor a
  /// finite double can hold.
  case malformed
  case invalidUTF8
  /// The text starts with a byte order mark, which RFC 8259 forbids.
  case byteOrderMark
  /// Arrays and objects are nested deeper than `limit`.
  case tooDeep(limit: Int)
  /// The text is longer than `limit` bytes.
  case tooLong(limit: Int)
  case outOfMemory
}

extension JSONError: CustomStringConvertible {
  /// A clause that completes "the body is not valid JSON: …".
  public var description: String {
    switch self {
    case .empty: "it is empty"
    case .malformed: "it is malformed"
    case .invalidUTF8: "it is not UTF-8"
    case .byteOrderMark: "it starts with a byte order mark"
    case .tooDeep(let limit): "it is nested deeper than \(limit) levels"
    case .tooLong(let limit): "it is longer than \(limit) bytes"
    case .outOfMemory: "it doesn't fit into memory"
    }
  }
}
