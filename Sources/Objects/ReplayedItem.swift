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
  /// Whether it is a call of the provider's own tool without what came of it. A provider may have
  /// stored that under the item's id.
  let lacksResult: Bool
  /// Whether it is a search in files together with what was found.
  let isFileSearch: Bool

  /// - Parameter object: of which a member may be repeated: any of its values may be read.
  init(_ object: JSONValue) {
    var types: Set<String> = []
    var filled: Set<String> = []
    var empty: Set<String> = []
    var isText = false
    for member in object.members {
      let name = MemberMeaning.plainName(member.key.string ?? "")
      if name == "type", let type = member.value.string {
        types.insert(MemberMeaning.plainName(type))
      } else if ReplayedItem.isContent(member.value, of: name) {
        filled.insert(name)
        if name == "content", member.value.kind == .string { isText = true }
      } else {
        empty.insert(name)
      }
    }
    // A message's content may be a text, that of reasoning is a list.
    if isText, types.contains("reasoning") { empty.insert("content") }
    filled.subtract(empty)
    isFileSearch = types == ["file_search_call"]
    lacksResult = types.contains { ReplayedItem.results[$0]?.isDisjoint(with: filled) ?? false }
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

  /// The members that are what came of a call of the provider's own tool, by the item's type. A
  /// search in the web never brings its pages along.
  private static let results: [String: Set<String>] = [
    "file_search_call": ["results"],
    "web_search_call": [],
    "code_interpreter_call": ["outputs"],
    "mcp_call": ["output", "error"],
    "mcp_list_tools": ["tools", "error"],
  ]

  /// The members of an item of any other type that say nothing of its content.
  private static let labels: Set<String> = ["id", "status", "phase", "role", "created_by"]

  /// Whether a member has a value that says anything, and that a provider can read as content.
  ///
  /// Example: `"result": "aGk="` is content. `0`, `true`, `""`, `[]`, `[0]` and `{}` are not.
  private static func isContent(_ value: JSONValue, of name: String) -> Bool {
    switch value.kind {
    case .string: value.utf8Count != 0 && !structures.contains(name)
    case .array:
      !value.isEmptyContainer && !texts.contains(name)
        && value.elements.allSatisfy { element in
          element.kind == .string
            ? element.utf8Count != 0 : element.kind == .object && !element.isEmptyContainer
        }
    case .object: !value.isEmptyContainer && !texts.contains(name)
    default: false
    }
  }

  /// The contents that are always strings.
  private static let texts: Set<String> = [
    "encrypted_content", "result", "name", "code", "server_label",
  ]

  /// The contents that are never strings.
  private static let structures: Set<String> = [
    "action", "actions", "operation", "queries", "results", "outputs", "tools",
  ]
}
