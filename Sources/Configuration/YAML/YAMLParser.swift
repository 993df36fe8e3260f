/// Reads one YAML document into a tree whose every key and value knows its place.
///
/// This is the one door to libyaml. Its events are composed here rather than by libyaml's own
/// document API, because that one drops repeated keys and expands nothing safely. What a
/// configuration has no use for is refused: several documents, tags, anchors and aliases (which
/// let a file of a kilobyte unfold into gigabytes).
struct YAMLParser {
  /// Mappings and lists inside each other; our deepest file needs eight.
  static let deepestNesting = 24

  /// Mappings longer than this look their keys up in a set.
  private static let linearSearchLimit = 8

  private let source: SourceText
  private let events: YAMLEvents
  private let tree: YAMLTree
  private let diagnostics: DiagnosticCollector

  /// The document's root, or nil when the text isn't YAML that we take: then a mistake says why.
  /// An empty file is an empty mapping.
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

  /// Appends what is inside of the node that was appended last.
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

/// Why a text isn't YAML that we take.
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
