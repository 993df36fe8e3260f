/// A mapping with fixed keys while it is read.
///
/// It remembers which keys were asked for: what the file has besides is unknown, and reported.
struct Section {
  let context: DecodingContext
  let mark: YAMLMark
  private let entries: [YAMLEntry]
  private var askedKeys: [String] = []

  /// Enough for most sections, so that the list of asked keys is allocated once.
  private static let usualKeyCount = 12

  /// Reads `node`, which stands under `key`, with `decode`; then reports unknown keys.
  /// A key with nothing behind it is a mapping without keys.
  static func read<Value>(
    _ node: YAMLNode, _ key: String, _ context: DecodingContext,
    _ decode: (inout Section) -> Value?
  ) -> Value? {
    let entries: [YAMLEntry]
    if case .mapping(let given) = node.content {
      entries = given
    } else if node.isNull {
      entries = []
    } else {
      context.mistake(node.mark, "\(key): \(node.kindName) is not valid; allowed: a mapping")
      return nil
    }
    var section = Section(context: context, mark: node.mark, entries: entries)
    let value = decode(&section)
    section.reportUnknownKeys()
    return value
  }

  private init(context: DecodingContext, mark: YAMLMark, entries: [YAMLEntry]) {
    self.context = context
    self.mark = mark
    self.entries = entries
    askedKeys.reserveCapacity(Self.usualKeyCount)
  }

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
    askedKeys.append(key)
    guard let node = entry(key)?.value, !node.isNull else { return nil }
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
    entry(key).map { !$0.value.isNull } ?? false
  }

  /// Reports a mistake at the value of `key`, or at the section where it has none.
  func mistake(at key: String, _ message: @autoclosure () -> String) {
    context.mistake(entry(key)?.value.mark ?? mark, message())
  }

  private func entry(_ key: String) -> YAMLEntry? {
    entries.first { $0.key == key }
  }

  private func reportUnknownKeys() {
    for entry in entries where !askedKeys.contains(entry.key) {
      context.mistake(entry.keyMark, unknownKey(entry.key, knownKeys: askedKeys))
    }
  }
}

/// The message about a key that nothing reads.
func unknownKey(_ key: String, knownKeys: [String]) -> String {
  let answer =
    likelyMeant(by: key, among: knownKeys).map { "did you mean \"\($0)\"?" }
    ?? "allowed: \(knownKeys.sorted().joined(separator: ", "))"
  return "unknown key \(quoted(key)); \(answer)"
}
