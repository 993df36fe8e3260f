internal import Glibc

/// The nodes of a YAML document in one array, in the order of the file.
///
/// A key is followed by its value, and a list or mapping by its contents. A file with a hundred
/// thousand clients has two million nodes. One allocation for each node would take longer than all
/// other work on them.
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
    /// For a key: whether its value was read.
    fileprivate(set) var isRead = false
    let mark: YAMLMark
    /// The start of a scalar's text.
    let textStart: UInt32
    /// The end of a scalar's text; for other nodes, the index of the first node outside it.
    fileprivate(set) var end: UInt32
  }

  private var nodes: [Node] = []
  /// The texts of all scalars, one after the other.
  private var texts: [UInt8] = []

  /// The smallest usual size of a node in a file, for files with many clients.
  private static let usualNodeSize = 12

  /// - Parameter size: The file's size in bytes.
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

  /// Appends the beginning of a list or mapping, whose end comes later.
  func append(container kind: Kind, at mark: YAMLMark) {
    nodes.append(Node(kind: kind, mark: mark, textStart: 0, end: 0))
  }

  /// Ends the list or mapping at this index after the last appended node.
  func endContainer(at place: Int) {
    nodes[place].end = UInt32(nodes.count)
  }

  /// Removes the nodes from this index on.
  func truncate(to place: Int) {
    nodes.removeLast(nodes.count - place)
  }

  // MARK: Reading

  subscript(place: Int) -> Node { nodes[place] }

  /// Returns the index after a node and its contents.
  func next(after place: Int) -> Int {
    let node = nodes[place]
    return node.kind.isScalar ? place + 1 : Int(node.end)
  }

  /// Returns the index of a key in the mapping at `place`; nil if it doesn't exist.
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

  /// Returns the text of a scalar.
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
