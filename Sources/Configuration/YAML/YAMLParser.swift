/// Reads one YAML document into a tree whose every key and value has its position.
///
/// Only this type uses libyaml. It builds the tree from libyaml's events, because libyaml's own
/// document API drops repeated keys and can't expand aliases safely. Features that a configuration
/// doesn't need are refused: several documents, tags, anchors, and aliases, which can make a file
/// of a kilobyte expand to gigabytes.
struct YAMLParser {
  /// The deepest nesting of mappings and lists. Catraca's deepest file needs eight levels.
  static let deepestNesting = 24

  /// Longer mappings look up their keys in a dictionary.
  private static let linearSearchLimit = 8

  private let source: SourceText
  private let events: YAMLEvents
  private let tree: YAMLTree
  private let diagnostics: DiagnosticCollector

  /// Returns the document's root; nil if the text isn't acceptable YAML, after a mistake with the
  /// reason. An empty file is an empty mapping.
  static func parse(_ source: SourceText, _ diagnostics: DiagnosticCollector) -> YAMLNode? {
    unsafe source.bytes.withUnsafeBufferPointer { bytes in
      let parser = YAMLParser(
        source: source,
        events: unsafe YAMLEvents(reading: UnsafeBufferPointer(rebasing: bytes[source.start...])),
        tree: YAMLTree(ofFileWith: bytes.count), diagnostics: diagnostics)
      do throws(YAMLRefusal) {
        return try parser.document()
      } catch {
        let position =
          switch error.place {
          case .mark(let mark): source.position(of: mark)
          case .byte(let offset): source.position(ofByte: source.start + offset)
          }
        diagnostics.mistake(position, error.message)
        return nil
      }
    }
  }

  private func document() throws(YAMLRefusal) -> YAMLNode {
    let first = try events.next(into: tree)
    if case .end = first {
      tree.append(container: .mapping, at: .start)
      tree.endContainer(at: 0)
      return YAMLNode(tree, at: 0)
    }
    try finish(first, depth: 1)
    let end = tree.count
    guard case .end = try events.next(into: tree) else {
      throw YAMLRefusal(tree[end].mark, "a second document; allowed: one document a file")
    }
    return YAMLNode(tree, at: 0)
  }

  /// Appends the contents of the last appended node.
  private func finish(_ event: YAMLEvents.Event, depth: Int) throws(YAMLRefusal) {
    let place = tree.count - 1
    guard depth <= Self.deepestNesting else {
      throw YAMLRefusal(
        tree[place].mark, "nested too deeply; allowed: \(Self.deepestNesting) levels")
    }
    switch event {
    case .scalar, .end: return
    case .sequence:
      while let item = try nextValue() { try finish(item, depth: depth + 1) }
    case .mapping:
      try appendEntries(depth: depth)
    }
    tree.endContainer(at: place)
  }

  private func nextValue() throws(YAMLRefusal) -> YAMLEvents.Event? {
    let event = try events.next(into: tree)
    if case .end = event { return nil }
    return event
  }

  private func appendEntries(depth: Int) throws(YAMLRefusal) {
    var keys: [Int] = []
    var placesByKey: [String: Int] = [:]
    while let event = try nextValue() {
      let key = tree.count - 1
      guard case .scalar = event else {
        throw YAMLRefusal(
          tree[key].mark, "a key that is a list or a mapping; allowed: a name")
      }
      guard let value = try nextValue() else { break }
      try finish(value, depth: depth + 1)
      if let first = first(like: key, in: keys, placesByKey) {
        diagnostics.mistake(
          source.position(of: tree[key].mark),
          "the key \"\(tree.text(at: key))\" is repeated; "
            + "it stands already in line \(tree[first].mark.line + 1)")
        tree.truncate(to: key)
      } else if keys.count < Self.linearSearchLimit {
        keys.append(key)
        guard keys.count == Self.linearSearchLimit else { continue }
        for key in keys { placesByKey[tree.text(at: key)] = key }
      } else {
        placesByKey[tree.text(at: key)] = key
      }
    }
  }

  private func first(like key: Int, in keys: [Int], _ placesByKey: [String: Int]) -> Int? {
    keys.count < Self.linearSearchLimit
      ? keys.first { tree.haveSameText($0, key) }
      : placesByKey[tree.text(at: key)]
  }
}

/// The reason that a text isn't acceptable YAML.
struct YAMLRefusal: Error {
  enum Place {
    case mark(YAMLMark)
    case byte(Int)
  }

  let place: Place
  let message: String

  init(_ mark: YAMLMark, _ message: String) {
    self.place = .mark(mark)
    self.message = message
  }

  init(byte offset: Int, _ message: String) {
    self.place = .byte(offset)
    self.message = message
  }
}
