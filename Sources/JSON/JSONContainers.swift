extension JSONValue {
  /// The value of the first member with this key; nil if there is none, or if this isn't an object.
  public subscript(key: StaticString) -> JSONValue? {
    guard type == JSONTape.objectStart else { return nil }
    let end = parser.index(after: index) - 1
    var position = index + 1
    while position < end {
      if parser.isString(at: position, key) { return value(at: position + 1) }
      position = parser.index(after: position + 1)
    }
    return nil
  }

  /// The members of an object in the order of the text, repeated keys included; empty for any other
  /// value.
  public var members: JSONMembers {
    JSONMembers(container: self, holds: type == JSONTape.objectStart)
  }

  /// The elements of an array; empty for any other value.
  public var elements: JSONElements {
    JSONElements(container: self, holds: type == JSONTape.arrayStart)
  }

  /// Whether this is an empty array or an empty object.
  public var isEmptyContainer: Bool {
    switch type {
    case JSONTape.objectStart, JSONTape.arrayStart: parser.index(after: index) == index + 2
    default: false
    }
  }

  /// The first key that an object has twice, compared after unescaping; nil if there is none.
  public var repeatedKey: String? {
    guard mayRepeatKey else { return nil }
    let count = members.reduce(0) { count, _ in count + 1 }
    let repeated = count <= JSONValue.fewKeys ? repeatedByPairs() : repeatedByHash(count)
    return repeated.flatMap { value(at: $0).string }
  }

  /// Whether two keys are alike in length, first and last byte; false for most objects, so that
  /// their keys need not be compared.
  private var mayRepeatKey: Bool {
    var seen: UInt64 = 0
    for member in members {
      let bytes = unsafe parser.utf8(at: member.value.index - 1)
      guard let first = unsafe bytes.first, let last = unsafe bytes.last else { return true }
      let mark: UInt64 = 1 &<< UInt64(bytes.count &* 7 &+ Int(first) &* 3 &+ Int(last))
      if seen & mark != 0 { return true }
      seen |= mark
    }
    return false
  }

  /// The largest number of keys for which comparing each pair is faster than hashing.
  private static let fewKeys = 24

  /// The tape index of the repeated key.
  private func repeatedByPairs() -> Int? {
    for member in members {
      let key = member.value.index - 1
      let bytes = unsafe parser.utf8(at: key)
      for earlier in members {
        let earlierKey = earlier.value.index - 1
        if earlierKey == key { break }
        if unsafe bytes.isEqual(to: parser.utf8(at: earlierKey)) { return key }
      }
    }
    return nil
  }

  /// The tape index of the repeated key.
  private func repeatedByHash(_ count: Int) -> Int? {
    var seen: Set<[UInt8]> = []
    seen.reserveCapacity(count)
    for member in members {
      let key = member.value.index - 1
      guard unsafe seen.insert(Array(parser.utf8(at: key))).inserted else { return key }
    }
    return nil
  }
}

/// A member of an object.
public struct JSONMember {
  public let value: JSONValue

  /// The key, a value of the kind `string`. On the tape it is the word before the member's value.
  public var key: JSONValue { value.value(at: value.index - 1) }

  /// Whether the unescaped key has exactly these bytes.
  public func hasKey(_ key: StaticString) -> Bool {
    value.requireCurrent()
    return value.parser.isString(at: value.index - 1, key)
  }
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
    let value = container.value(at: position + 1)
    position = container.parser.index(after: position + 1)
    return JSONMember(value: value)
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
