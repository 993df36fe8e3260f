/// A mapping with fixed keys while it is read.
///
/// It remembers which keys were asked for: what the file has besides is unknown, and reported.
struct Section {
  let context: DecodingContext
  private let root: YAMLNode
  /// How many of `context.askedKeys` are those of sections around this one.
  private let outerKeyCount: Int

  /// Reads `node`, which stands under `key`, with `decode`; then reports unknown keys.
  /// A key with nothing behind it is a mapping without keys.
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

  /// The value under `key`; nil when it is absent, null or wrong.
  mutating func optional<Value>(_ key: String, _ format: ValueFormat<Value>) -> Value? {
    guard let node = node(key) else { return nil }
    return format.read(node, key, context)
  }

  /// The value under `key`; a mistake when it is absent.
  mutating func required<Value>(_ key: String, _ format: ValueFormat<Value>) -> Value? {
    guard let node = node(key) else {
      context.mistake(mark, "\(key) is missing; allowed: \(format.allowed)")
      return nil
    }
    return format.read(node, key, context)
  }

  /// The node under `key`; nil when it is absent or null.
  mutating func node(_ key: String) -> YAMLNode? {
    context.askedKeys.append(key)
    guard let node = root.read(key), !node.isNull else { return nil }
    return node
  }

  /// The entries of the mapping with free names under `key`; none when it is absent or wrong.
  mutating func entries(_ key: String) -> [YAMLEntry] {
    guard let node = node(key) else { return [] }
    guard case .mapping(let entries) = node.content else {
      context.mistake(node.mark, "\(key): \(node.kindName) is not valid; allowed: a mapping")
      return []
    }
    return entries
  }

  /// The items of the list under `key`; none when it is absent or wrong.
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

  /// The text of the single value under `key`; nil where it has none.
  func scalar(_ key: String) -> String? {
    guard let node = root[key], !node.isNull, case .scalar(let text, _) = node.content else {
      return nil
    }
    return text
  }

  /// Reports a mistake at the value of `key`, or at the section where it has none.
  func mistake(at key: String, _ message: @autoclosure () -> String) {
    context.mistake(root[key]?.mark ?? mark, message())
  }

  private func reportUnknownKeys() {
    for (key, mark) in root.unreadKeys {
      context.mistake(mark, unknownKey(key, knownKeys: Array(context.askedKeys[outerKeyCount...])))
    }
  }
}

/// The message about a key that nothing reads.
func unknownKey(_ key: String, knownKeys: [String]) -> String {
  let answer =
    likelyMeant(by: key, among: knownKeys).map { "did you mean \"\($0)\"?" }
    ?? "allowed: \(Set(knownKeys).sorted().joined(separator: ", "))"
  return "unknown key \(quoted(key)); \(answer)"
}
