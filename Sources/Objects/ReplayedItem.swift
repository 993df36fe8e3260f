import JSON

/// An item in a request: an item that the app sends back whole, or a reference to one that the
/// provider keeps.
struct ReplayedItem {
  enum Form {
    case whole
    case reference
    /// Reasoning without its content. A provider that has kept the item takes its own.
    case reasoning
  }

  let form: Form
  /// Whether it is a search in files together with what was found.
  let isFileSearch: Bool

  /// - Parameter object: of which a member may be repeated: any of its values may be read.
  init(_ object: JSONValue) {
    var types: Set<String> = []
    var filled: Set<String> = []
    for member in object.members {
      let name = MemberMeaning.plainName(member.key.string ?? "")
      if name == "type", let type = member.value.string {
        types.insert(MemberMeaning.plainName(type))
      } else if ReplayedItem.isFilled(member.value) {
        filled.insert(name)
      }
    }
    isFileSearch = types == ["file_search_call"]
    form = ReplayedItem.form(types, filled)
  }

  private static func form(_ types: Set<String>, _ filled: Set<String>) -> Form {
    if types.contains("item_reference") { return .reference }
    if types == ["reasoning"] { return filled.contains("encrypted_content") ? .whole : .reasoning }
    // The type of a message may be left out, and that of a reference too.
    if types.isEmpty {
      return filled.isSuperset(of: ["role", "content"]) ? .whole : .reference
    }
    if types.contains("image_generation_call"), !filled.contains("result") { return .reference }
    return filled.isSubset(of: ["id", "status", "phase"]) ? .reference : .whole
  }

  /// Whether a member says anything.
  private static func isFilled(_ value: JSONValue) -> Bool {
    switch value.kind {
    case .null: false
    case .string: value.utf8Count != 0
    default: true
    }
  }
}
