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
  private let diagnostics: DiagnosticCollector

  /// The document's root, or nil when the text isn't YAML that we take: then a mistake says why.
  /// An empty file is an empty mapping.
  static func parse(_ source: SourceText, _ diagnostics: DiagnosticCollector) -> YAMLNode? {
    unsafe source.bytes.withUnsafeBufferPointer { bytes in
      let parser = YAMLParser(
        source: source, events: unsafe YAMLEvents(reading: bytes), diagnostics: diagnostics)
      do throws(YAMLRefusal) {
        return try parser.document()
      } catch {
        let position =
          switch error.place {
          case .mark(let mark): source.position(of: mark)
          case .byte(let offset): source.position(ofByte: offset)
          }
        diagnostics.mistake(position, error.message)
        return nil
      }
    }
  }

  private func document() throws(YAMLRefusal) -> YAMLNode {
    guard case .value(let first) = try events.next() else {
      return YAMLNode(content: .mapping([]), mark: .start)
    }
    let root = try node(first, depth: 1)
    if case .value(let second) = try events.next() {
      throw YAMLRefusal(second.mark, "a second document; allowed: one document a file")
    }
    return root
  }

  private func node(_ event: YAMLEvents.Value, depth: Int) throws(YAMLRefusal) -> YAMLNode {
    guard depth <= Self.deepestNesting else {
      throw YAMLRefusal(
        event.mark, "nested too deeply; allowed: \(Self.deepestNesting) levels")
    }
    switch event.kind {
    case .scalar(let text, let isPlain):
      return YAMLNode(content: .scalar(text, isPlain: isPlain), mark: event.mark)
    case .sequence:
      var items: [YAMLNode] = []
      while case .value(let item) = try events.next() {
        items.append(try node(item, depth: depth + 1))
      }
      return YAMLNode(content: .sequence(items), mark: event.mark)
    case .mapping:
      return YAMLNode(content: .mapping(try entries(depth: depth)), mark: event.mark)
    }
  }

  private func entries(depth: Int) throws(YAMLRefusal) -> [YAMLEntry] {
    var entries: [YAMLEntry] = []
    var linesByKey: [String: UInt32] = [:]
    while case .value(let key) = try events.next() {
      guard case .scalar(let name, _) = key.kind else {
        throw YAMLRefusal(key.mark, "a key that is a list or a mapping; allowed: a name")
      }
      guard case .value(let first) = try events.next() else { break }
      let value = try node(first, depth: depth + 1)
      if let line = firstLine(of: name, in: entries, linesByKey) {
        diagnostics.mistake(
          source.position(of: key.mark),
          "the key \"\(name)\" is repeated; it stands already in line \(line + 1)")
        continue
      }
      entries.append(YAMLEntry(key: name, keyMark: key.mark, value: value))
      if entries.count == Self.linearSearchLimit {
        for entry in entries { linesByKey[entry.key] = entry.keyMark.line }
      } else if entries.count > Self.linearSearchLimit {
        linesByKey[name] = key.mark.line
      }
    }
    return entries
  }

  private func firstLine(
    of key: String, in entries: [YAMLEntry], _ linesByKey: [String: UInt32]
  ) -> UInt32? {
    entries.count < Self.linearSearchLimit
      ? entries.first { $0.key == key }?.keyMark.line
      : linesByKey[key]
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
