import JSON

/// An item in a request: an item that the app sends back whole, or a reference to one that the
/// provider keeps.
///
/// A provider that keeps items takes the content of an item by its id where the request doesn't
/// bring it. So an item with an id is a reference unless the content that its type has is there.
/// Example: OpenAI answers 404 for reasoning without `encrypted_content` whose item it hasn't
/// stored, whatever the `summary` says, so such reasoning is a reference.
struct ReplayedItem {
  let isReference: Bool
  /// Whether it is a search in files together with what was found.
  let isFileSearch: Bool

  /// - Parameter object: of which a member may be repeated: any of its values may be read.
  init(_ object: JSONValue) {
    var types: Set<String> = []
    var filled: Set<String> = []
    var empty: Set<String> = []
    for member in object.members {
      let name = MemberMeaning.plainName(member.key.string ?? "")
      if name == "type", let type = member.value.string {
        types.insert(MemberMeaning.plainName(type))
      } else if ReplayedItem.isFilled(member.value) {
        filled.insert(name)
      } else {
        empty.insert(name)
      }
    }
    filled.subtract(empty)
    isFileSearch = types == ["file_search_call"]
    // The type of a message may be left out, and that of a reference too.
    isReference =
      types.isEmpty
      ? !filled.isSuperset(of: ["role", "content"])
      : types.contains { !ReplayedItem.hasContent(filled, type: $0) }
  }

  private static func hasContent(_ filled: Set<String>, type: String) -> Bool {
    if let contents = contents[type] { return !contents.isDisjoint(with: filled) }
    return !filled.isSubset(of: labels)
  }

  /// The members that are the content of an item, by its type. One of them is enough: models leave
  /// out the others, and so do apps.
  private static let contents: [String: Set<String>] = [
    "item_reference": [],
    "message": ["content"],
    "reasoning": ["encrypted_content", "content"],
    "compaction": ["encrypted_content"],
    "image_generation_call": ["result"],
    "function_call": ["name", "arguments"],
    "custom_tool_call": ["name", "input"],
    "web_search_call": ["action"],
    "file_search_call": ["queries", "results"],
    "code_interpreter_call": ["code", "outputs"],
    "computer_call": ["action", "actions"],
    "local_shell_call": ["action"],
    "shell_call": ["action"],
    "apply_patch_call": ["operation"],
    "mcp_call": ["name", "arguments", "output", "error"],
    "mcp_list_tools": ["tools", "error", "server_label"],
  ]

  /// The members of an item of any other type that say nothing of its content.
  private static let labels: Set<String> = ["id", "status", "phase", "role", "created_by"]

  /// Whether a member says anything.
  private static func isFilled(_ value: JSONValue) -> Bool {
    switch value.kind {
    case .null: false
    case .string: value.utf8Count != 0
    default: !value.isEmptyContainer
    }
  }
}
