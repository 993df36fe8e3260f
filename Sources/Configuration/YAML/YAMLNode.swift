/// One value of a YAML file, with its position.
struct YAMLNode {
  enum Content {
    /// Text exactly as written; `isPlain` if it has no quotes.
    case scalar(String, isPlain: Bool)
    case sequence([YAMLNode])
    /// The entries in the order of the file. The keys are unique.
    case mapping([YAMLEntry])
  }

  private let tree: YAMLTree
  private let place: Int

  init(_ tree: YAMLTree, at place: Int) {
    self.tree = tree
    self.place = place
  }

  var mark: YAMLMark { tree[place].mark }
  var isMapping: Bool { tree[place].kind == .mapping }

  var content: Content {
    switch tree[place].kind {
    case .plain: .scalar(tree.text(at: place), isPlain: true)
    case .quoted: .scalar(tree.text(at: place), isPlain: false)
    case .sequence: .sequence(items)
    case .mapping: .mapping(entries)
    }
  }

  /// Whether this is YAML's null: nothing, `~` or `null`, without quotes.
  var isNull: Bool {
    guard tree[place].kind == .plain else { return false }
    return tree.hasText("", at: place) || tree.hasText("null", at: place)
      || tree.hasText("~", at: place)
  }

  /// Returns the value of `key` in a mapping.
  subscript(key: String) -> YAMLNode? {
    guard isMapping, let key = tree.key(key, ofMappingAt: place) else { return nil }
    return YAMLNode(tree, at: key + 1)
  }

  /// Returns the value of `key` in a mapping, and removes the key from the unread ones.
  func read(_ key: String) -> YAMLNode? {
    guard isMapping, let key = tree.key(key, ofMappingAt: place) else { return nil }
    tree.noteRead(key)
    return YAMLNode(tree, at: key + 1)
  }

  /// The keys of a mapping that weren't read, with their positions.
  var unreadKeys: [(key: String, mark: YAMLMark)] {
    guard isMapping else { return [] }
    var keys: [(key: String, mark: YAMLMark)] = []
    forEachKey { place in
      if !tree[place].isRead { keys.append((tree.text(at: place), tree[place].mark)) }
    }
    return keys
  }

  /// The kind of the node, for messages to an operator.
  var kindName: String {
    switch tree[place].kind {
    case .plain, .quoted: isNull ? "nothing" : "a single value"
    case .sequence: "a list"
    case .mapping: "a mapping"
    }
  }

  private var items: [YAMLNode] {
    var items: [YAMLNode] = []
    var item = place + 1
    while item < tree.next(after: place) {
      items.append(YAMLNode(tree, at: item))
      item = tree.next(after: item)
    }
    return items
  }

  private var entries: [YAMLEntry] {
    var entries: [YAMLEntry] = []
    forEachKey { place in
      entries.append(
        YAMLEntry(
          key: tree.text(at: place), keyMark: tree[place].mark,
          value: YAMLNode(tree, at: place + 1)))
    }
    return entries
  }

  /// Calls `body` with the index of each key of a mapping.
  private func forEachKey(_ body: (Int) -> Void) {
    let end = tree.next(after: place)
    var key = place + 1
    while key < end {
      body(key)
      key = tree.next(after: key + 1)
    }
  }
}

/// A key of a mapping with its value.
struct YAMLEntry {
  let key: String
  let keyMark: YAMLMark
  let value: YAMLNode
}

/// A position as libyaml counts: lines from 0, columns in characters from 0.
struct YAMLMark: Hashable {
  let line: UInt32
  let column: UInt32

  static let start = YAMLMark(line: 0, column: 0)
}
