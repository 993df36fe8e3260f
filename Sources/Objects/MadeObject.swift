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
      let id = value.string, MadeObject.isRecordable(id)
    else { return nil }
    self.init(kind, id)
  }

  /// The longest id that is believed, in bytes.
  public static let longestID = 256

  /// Whether an object can be recorded by its id: 1 to 256 visible characters of ASCII without `/`.
  public static func isRecordable(_ id: String) -> Bool {
    let bytes = id.utf8
    return (1...longestID).contains(bytes.count) && id != "." && id != ".."
      && bytes.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "/") }
  }

  /// The rule of `isRecordable` in words, for errors.
  public static let idRule = "1 to \(longestID) visible characters of ASCII without /"

  /// Whether a text can be a provider's id: 1 to 256 bytes that can stand in a path as they are.
  public static func isID(_ text: String) -> Bool {
    (1...longestID).contains(text.utf8.count) && text != "." && text != ".."
      && !text.utf8.contains(UInt8(ascii: "/"))
      && RequestTarget.plainPath(of: "/\(text)") == "/\(text)"
  }
}

/// Finds the objects that answers show to have been made.
public enum MadeObjects {
  /// The objects at these places of an answer, each once, in the order of the places.
  ///
  /// Values that can't be ids are left out: see `MadeObject.isRecordable`.
  ///
  /// - Parameter places: as in `ObjectEndpoint.makes`.
  public static func inAnswer(
    _ root: JSONValue, at places: [(place: String, kind: ObjectKind)]
  ) -> [MadeObject] {
    var found: [MadeObject] = []
    var seen: Set<MadeObject> = []
    for (place, kind) in places {
      visit(root, place.split(separator: ".")[...]) { value in
        guard let object = MadeObject(kind, shown: value), seen.insert(object).inserted else {
          return
        }
        found.append(object)
      }
    }
    return found
  }

  /// Calls `body` with each value at a place, whose steps are such as `output[]` or `id`; a step
  /// `file_id[container_id]` is the member `file_id` of an object that has a `container_id` too.
  private static func visit(
    _ value: JSONValue, _ steps: ArraySlice<Substring>, _ body: (JSONValue) -> Void
  ) {
    guard let step = steps.first else { return body(value) }
    let isArray = step.hasSuffix("[]")
    let key = String(step.prefix { $0 != "[" })
    if !isArray, key.utf8.count < step.utf8.count {
      let sibling = String(step.dropFirst(key.count + 1).dropLast())
      let hasSibling = value.members.contains { member in
        member.key.isString(sibling) && member.value.kind == .string
      }
      guard hasSibling else { return }
    }
    // A repeated key counts each time: clients differ in which of its values they read.
    for member in value.members where member.key.isString(key) {
      if isArray {
        for element in member.value.elements { visit(element, steps.dropFirst(), body) }
      } else {
        visit(member.value, steps.dropFirst(), body)
      }
    }
  }
}
