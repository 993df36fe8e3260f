internal import Glibc

/// The nodes of a YAML document in one list, in the order of the file.
///
/// A key is followed by its value, and a list or mapping by all that is in it. A file of a hundred
/// thousand clients has two million nodes: what each of them took by itself, an allocation and its
/// release, would be longer than all else that is done with them.
final class YAMLTree {
  enum Kind: UInt8 {
    /// Without quotes.
    case plain
    case quoted
    case sequence
    case mapping
  }

  struct Node {
    let kind: Kind
    /// Of a key: whether something has read its value.
    fileprivate(set) var isRead = false
    let mark: YAMLMark
    /// Where the text of a scalar begins.
    let textStart: UInt32
    /// Where the text of a scalar ends; of others, the place of the first node that isn't inside.
    fileprivate(set) var end: UInt32
  }

  private var nodes: [Node] = []
  /// Those of all scalars, one after the other.
  private var texts: [UInt8] = []

  /// The least that a node takes of a file, as files of many clients are written.
  private static let usualNodeSize = 12

  /// - Parameter size: bytes of the file.
  init(ofFileWith size: Int) {
    nodes.reserveCapacity(size / Self.usualNodeSize)
    texts.reserveCapacity(size / 2)
  }

  // MARK: Building

  var count: Int { nodes.count }

  func append(scalar text: UnsafeBufferPointer<UInt8>, isPlain: Bool, at mark: YAMLMark) {
    let start = UInt32(texts.count)
    unsafe texts.append(contentsOf: text)
    nodes.append(
      Node(
        kind: isPlain ? .plain : .quoted, mark: mark, textStart: start, end: UInt32(texts.count)))
  }

  /// The beginning of a list or mapping, whose end comes later.
  func append(container kind: Kind, at mark: YAMLMark) {
    nodes.append(Node(kind: kind, mark: mark, textStart: 0, end: 0))
  }

  /// What was appended last is the last in the list or mapping at this place.
  func endContainer(at place: Int) {
    nodes[place].end = UInt32(nodes.count)
  }

  /// Takes back what was appended from this place on.
  func truncate(to place: Int) {
    nodes.removeLast(nodes.count - place)
  }

  // MARK: Reading

  subscript(place: Int) -> Node { nodes[place] }

  /// The place after a node and all that is inside.
  func next(after place: Int) -> Int {
    let node = nodes[place]
    return node.kind.isScalar ? place + 1 : Int(node.end)
  }

  /// The place of a key of the mapping at `place`; nil where there is none.
  func key(_ key: String, ofMappingAt place: Int) -> Int? {
    var key = key
    return key.withUTF8 { key in unsafe self.key(key, ofMappingAt: place) }
  }

  private func key(_ key: UnsafeBufferPointer<UInt8>, ofMappingAt place: Int) -> Int? {
    guard let wanted = key.baseAddress else { return nil }
    return unsafe texts.withUnsafeBufferPointer { texts in
      guard let all = texts.baseAddress else { return nil }
      let end = Int(nodes[place].end)
      var found = place + 1
      while found < end {
        let node = nodes[found]
        if Int(node.end - node.textStart) == key.count,
          unsafe memcmp(all + Int(node.textStart), wanted, key.count) == 0
        {
          return found
        }
        found = next(after: found + 1)
      }
      return nil
    }
  }

  func noteRead(_ key: Int) {
    nodes[key].isRead = true
  }

  /// The text of a scalar.
  func text(at place: Int) -> String {
    let range = textRange(at: place)
    return unsafe texts.withUnsafeBufferPointer { texts in
      unsafe String(decoding: UnsafeBufferPointer(rebasing: texts[range]), as: UTF8.self)
    }
  }

  func hasText(_ text: String, at place: Int) -> Bool {
    texts[textRange(at: place)].elementsEqual(text.utf8)
  }

  func haveSameText(_ first: Int, _ second: Int) -> Bool {
    texts[textRange(at: first)].elementsEqual(texts[textRange(at: second)])
  }

  private func textRange(at place: Int) -> Range<Int> {
    Int(nodes[place].textStart)..<Int(nodes[place].end)
  }
}

extension YAMLTree.Kind {
  var isScalar: Bool { self == .plain || self == .quoted }
}
