/// One value of a YAML file and where it begins.
struct YAMLNode {
  enum Content {
    /// Text exactly as written; `isPlain` when it stands without quotes.
    case scalar(String, isPlain: Bool)
    case sequence([YAMLNode])
    /// In the order of the file; keys are unique.
    case mapping([YAMLEntry])
  }

  let content: Content
  let mark: YAMLMark

  /// Whether this is YAML's null: nothing, `~` or `null`, without quotes.
  var isNull: Bool {
    guard case .scalar(let text, isPlain: true) = content else { return false }
    return text.isEmpty || text == "null" || text == "~"
  }

  /// The value under `key` of a mapping.
  subscript(key: String) -> YAMLNode? {
    guard case .mapping(let entries) = content else { return nil }
    return entries.first { $0.key == key }?.value
  }

  /// What the node is, for an operator who wrote it where something else belongs.
  var kindName: String {
    switch content {
    case .scalar: isNull ? "nothing" : "a single value"
    case .sequence: "a list"
    case .mapping: "a mapping"
    }
  }
}

/// A key of a mapping with its value.
struct YAMLEntry {
  let key: String
  let keyMark: YAMLMark
  let value: YAMLNode
}

/// A place as libyaml counts: lines from 0, columns in characters from 0.
struct YAMLMark: Hashable {
  let line: UInt32
  let column: UInt32

  static let start = YAMLMark(line: 0, column: 0)
}
