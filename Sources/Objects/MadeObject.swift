internal import HTTP
public import JSON

/// An object that an answer shows to have been made.
public struct MadeObject: Hashable, Sendable {
  public let kind: ObjectKind
  public let id: String

  public init(_ kind: ObjectKind, _ id: String) {
    self.kind = kind
    self.id = id
  }

  /// An object by the id that an answer shows; nil for a value that can't be an id.
  public init?(_ kind: ObjectKind, shown value: JSONValue?) {
    guard let value, let length = value.utf8Count, length <= MadeObject.longestID,
      let id = value.string, MadeObject.isID(id)
    else { return nil }
    self.init(kind, id)
  }

  /// The longest id that is believed, in bytes.
  public static let longestID = 256

  /// Whether a text can be a provider's id: 1 to 256 bytes that can stand in a path as they are.
  public static func isID(_ text: String) -> Bool {
    (1...longestID).contains(text.utf8.count) && text != "." && text != ".."
      && !text.utf8.contains(UInt8(ascii: "/"))
      && RequestTarget.plainPath(of: "/\(text)") == "/\(text)"
  }
}
