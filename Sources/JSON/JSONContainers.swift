extension JSONValue {
  /// The value of the first member with this key; nil if there is none or if this isn't an object.
  public subscript(key: StaticString) -> JSONValue? {
    guard type == JSONTape.objectStart else { return nil }
    let end = parser.index(after: index) - 1
    var position = index + 1
    while position < end {
      if value(at: position).isString(key) { return value(at: position + 1) }
      position = parser.index(after: position + 1)
    }
    return nil
  }

  /// The members of an object in the order of the text, repeated keys included; of anything else,
  /// none.
  public var members: JSONMembers {
    JSONMembers(container: self, holds: type == JSONTape.objectStart)
  }

  /// The elements of an array; of anything else, none.
  public var elements: JSONElements {
    JSONElements(container: self, holds: type == JSONTape.arrayStart)
  }

  /// Whether this is an array or object without anything in it.
  public var isEmptyContainer: Bool {
    switch type {
    case JSONTape.objectStart, JSONTape.arrayStart: parser.index(after: index) == index + 2
    default: false
    }
  }

  /// The first key of an object that stands there twice, compared after unescaping.
  public var repeatedKey: String? {
    var keys: [JSONValue] = []
    for member in members { keys.append(member.key) }
    if keys.count <= JSONValue.fewKeys { return repeatedKeyByPairs(keys) }
    var seen: Set<[UInt8]> = []
    seen.reserveCapacity(keys.count)
    for key in keys {
      let bytes = unsafe Array(parser.utf8(at: key.index))
      if !seen.insert(bytes).inserted { return key.string }
    }
    return nil
  }

  /// Up to so many keys, comparing each with each is faster than hashing them.
  private static let fewKeys = 24

  private func repeatedKeyByPairs(_ keys: [JSONValue]) -> String? {
    for (position, key) in keys.enumerated() {
      let bytes = unsafe parser.utf8(at: key.index)
      for earlier in keys[..<position] {
        let others = unsafe parser.utf8(at: earlier.index)
        if unsafe bytes.count == others.count && bytes.elementsEqual(others) { return key.string }
      }
    }
    return nil
  }
}

/// A member of an object. The key is a value of the kind `string`.
public struct JSONMember {
  public let key: JSONValue
  public let value: JSONValue
}

/// The members of an object, one after the other.
public struct JSONMembers: Sequence, IteratorProtocol {
  private let container: JSONValue
  private var position: Int
  private let end: Int

  init(container: JSONValue, holds: Bool) {
    self.container = container
    position = container.index + 1
    end = holds ? container.parser.index(after: container.index) - 1 : position
  }

  public mutating func next() -> JSONMember? {
    guard position < end else { return nil }
    container.requireCurrent()
    let member = JSONMember(
      key: container.value(at: position), value: container.value(at: position + 1))
    position = container.parser.index(after: position + 1)
    return member
  }
}

/// The elements of an array, one after the other.
public struct JSONElements: Sequence, IteratorProtocol {
  private let container: JSONValue
  private var position: Int
  private let end: Int

  init(container: JSONValue, holds: Bool) {
    self.container = container
    position = container.index + 1
    end = holds ? container.parser.index(after: container.index) - 1 : position
  }

  public mutating func next() -> JSONValue? {
    guard position < end else { return nil }
    container.requireCurrent()
    let element = container.value(at: position)
    position = container.parser.index(after: position)
    return element
  }
}
