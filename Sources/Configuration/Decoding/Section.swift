/// A mapping with fixed keys, while it is being read.
///
/// It remembers the requested keys. Other keys in the file are unknown, and are reported.
struct Section {
  let context: DecodingContext
  private let root: YAMLNode
  /// The number of `context.askedKeys` that belong to enclosing sections.
  private let outerKeyCount: Int

  /// Reads `node`, the value of `key`, with `decode`, and then reports unknown keys. A key without
  /// a value is a mapping without keys.
  static func read<Value>(
    _ node: YAMLNode, _ key: String, _ context: DecodingContext,
    _ decode: (inout Section) -> Value?
  ) -> Value? {
    guard node.isMapping || node.isNull else {
      context.mistake(node.mark, "\(key): \(node.kindName) is not valid; allowed: a mapping")
      return nil
    }
    var section = Section(
      context: context, root: node, outerKeyCount: context.askedKeys.count)
    let value = decode(&section)
    section.reportUnknownKeys()
    context.askedKeys.removeLast(context.askedKeys.count - section.outerKeyCount)
    return value
  }

  var mark: YAMLMark { root.mark }

  /// Returns the value of `key`; nil if it is absent, null or wrong.
  mutating func optional<Value>(_ key: String, _ format: ValueFormat<Value>) -> Value? {
    guard let node = node(key) else { return nil }
    return format.read(node, key, context)
  }

  /// Returns the value of `key`; reports a mistake if it is absent.
  mutating func required<Value>(_ key: String, _ format: ValueFormat<Value>) -> Value? {
    guard let node = node(key) else {
      context.mistake(mark, "\(key) is missing; allowed: \(format.allowed)")
      return nil
    }
    return format.read(node, key, context)
  }

  /// Returns the node of `key`; nil if it is absent or null.
  mutating func node(_ key: String) -> YAMLNode? {
    context.askedKeys.append(key)
    guard let node = root.read(key), !node.isNull else { return nil }
    return node
  }

  /// Returns the entries of the mapping with free names under `key`; empty if it is absent or
  /// wrong.
  mutating func entries(_ key: String) -> [YAMLEntry] {
    guard let node = node(key) else { return [] }
    guard case .mapping(let entries) = node.content else {
      context.mistake(node.mark, "\(key): \(node.kindName) is not valid; allowed: a mapping")
      return []
    }
    return entries
  }

  /// Returns the items of the list under `key`; empty if it is absent or wrong.
  mutating func items(_ key: String) -> [YAMLNode] {
    guard let node = node(key) else { return [] }
    guard case .sequence(let items) = node.content else {
      context.mistake(node.mark, "\(key): \(node.kindName) is not valid; allowed: a list")
      return []
    }
    return items
  }

  /// Whether `key` has a value other than null.
  func has(_ key: String) -> Bool {
    root[key].map { !$0.isNull } ?? false
  }

  /// Returns the text of the single value of `key`; nil if it has none.
  func scalar(_ key: String) -> String? {
    guard let node = root[key], !node.isNull, case .scalar(let text, _) = node.content else {
      return nil
    }
    return text
  }

  /// Reports a mistake at the value of `key`, or at the section if the key has no value.
  func mistake(at key: String, _ message: @autoclosure () -> String) {
    context.mistake(root[key]?.mark ?? mark, message())
  }

  private func reportUnknownKeys() {
    for (key, mark) in root.unreadKeys {
      context.mistake(mark, unknownKey(key, knownKeys: Array(context.askedKeys[outerKeyCount...])))
    }
  }
}

/// Returns the message about an unknown key.
func unknownKey(_ key: String, knownKeys: [String]) -> String {
  let answer =
    likelyMeant(by: key, among: knownKeys).map { "did you mean \"\($0)\"?" }
    ?? "allowed: \(Set(knownKeys).sorted().joined(separator: ", "))"
  return "unknown key \(quoted(key)); \(answer)"
}

/// One row of a section's table: the key, the format and the meaning of a setting.
///
/// The parser, the check, the report of changes and the reference all use these rows.
struct SettingRow<Root> {
  let key: String
  let allowed: String
  /// Whether a change applies at once. Otherwise it needs a restart.
  let isReloadable: Bool
  let meaning: String
  let read: (inout Section, inout Root) -> Void
  /// Returns the value as the reference and the log show it.
  let text: (Root) -> String

  /// Creates a setting that keeps its default if the file omits it.
  init<Value>(
    _ key: String, _ path: WritableKeyPath<Root, Value>, _ format: ValueFormat<Value>,
    isReloadable: Bool = true, _ meaning: String
  ) {
    self.key = key
    self.allowed = format.allowed
    self.isReloadable = isReloadable
    self.meaning = meaning
    self.read = { section, root in
      if let value = section.optional(key, format) { root[keyPath: path] = value }
    }
    self.text = { root in format.text(root[keyPath: path]) }
  }

  /// Creates a setting that is nil if the file omits it.
  init<Value>(
    _ key: String, _ path: WritableKeyPath<Root, Value?>, _ format: ValueFormat<Value>,
    isReloadable: Bool = true, _ meaning: String
  ) {
    self.key = key
    self.allowed = format.allowed
    self.isReloadable = isReloadable
    self.meaning = meaning
    self.read = { section, root in
      if let value = section.optional(key, format) { root[keyPath: path] = value }
    }
    self.text = { root in root[keyPath: path].map(format.text) ?? "none" }
  }
}

/// Settings with defaults that a table of rows reads.
protocol TabledSettings {
  /// Creates the defaults.
  init()
  static var rows: [SettingRow<Self>] { get }
}

extension TabledSettings {
  /// Returns the settings of this section that need a restart, by name, as text.
  func restartOnlyValues(under section: String) -> [(name: String, text: String)] {
    Self.rows.filter { !$0.isReloadable }.map { ("\(section).\($0.key)", $0.text(self)) }
  }
}

extension ValueFormat where Value: TabledSettings {
  /// A section that its table of rows reads.
  static var table: ValueFormat {
    .section { section in
      var settings = Value()
      for row in Value.rows { row.read(&section, &settings) }
      return settings
    }
  }
}
