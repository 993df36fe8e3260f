/// An object and its place in the text. Members can be added, replaced or removed while all other
/// bytes stay as they are.
///
/// It uses the places that the parser itself found, so it always means the same members as the
/// parser.
public struct JSONLocatedObject {
  private let object: JSONValue
  /// The number of the opening brace among the text's structural characters.
  private let structural: Int

  /// The root of a text; nil if it isn't an object.
  public init?(root: JSONValue) {
    guard root.index == JSONTape.root else { return nil }
    self.init(object: root, structural: 0)
  }

  fileprivate init?(object: JSONValue, structural: Int) {
    guard object.kind == .object else { return nil }
    self.object = object
    self.structural = structural
  }

  /// The offset behind the opening brace, where a member can be inserted. Unless the object is
  /// empty, the inserted member needs a comma behind it.
  public var start: Int { object.parser.structuralOffset(structural) + 1 }

  public var isEmpty: Bool { object.isEmptyContainer }

  /// The object itself.
  public var value: JSONValue { object }

  /// The range from the opening brace to behind the closing brace.
  public var range: Range<Int> {
    let end = object.parser.endStructural(of: object, from: structural).offset
    return object.parser.structuralOffset(structural)..<end
  }

  /// The first member with this key; nil if there is none.
  public func member(_ key: StaticString) -> JSONLocatedMember? {
    var found: JSONLocatedMember?
    visitMembers { member, place in
      guard member.hasKey(key) else { return true }
      found = JSONLocatedMember(value: member.value, at: place)
      return false
    }
    return found
  }

  /// Calls `body` with each member, in the order of the text.
  public func forEachMember(_ body: (JSONLocatedMember) -> Void) {
    visitMembers { member, place in
      body(JSONLocatedMember(value: member.value, at: place))
      return true
    }
  }

  /// Calls `visit` with each member until it returns false.
  private func visitMembers(_ visit: (JSONMember, JSONLocatedMember.Place) -> Bool) {
    let parser = object.parser
    var keyStructural = structural + 1
    var precedingComma: Int?
    for member in object.members {
      let valueStructural = keyStructural + 2
      let valueEnd = parser.endStructural(of: member.value, from: valueStructural)
      let place = JSONLocatedMember.Place(
        keyStructural: keyStructural, separator: valueEnd.next, valueEnd: valueEnd.offset,
        precedingComma: precedingComma)
      guard visit(member, place) else { return }
      precedingComma = parser.structuralOffset(valueEnd.next)
      keyStructural = valueEnd.next + 1
    }
  }
}

/// A member of an object and its place in the text. Offsets are in bytes.
public struct JSONLocatedMember {
  public let value: JSONValue
  /// The range from the key's first quotation mark to the value's end.
  public let range: Range<Int>
  public let valueRange: Range<Int>
  /// The range to remove so that neither the member nor its comma remains. It has the comma before
  /// the member; for the first member, the comma and the white space behind it.
  public let removal: Range<Int>
  private let valueStructural: Int

  /// The place of a member: numbers of structural characters and, where a comment says so, offsets.
  fileprivate struct Place {
    let keyStructural: Int
    let separator: Int
    /// An offset.
    let valueEnd: Int
    /// An offset; nil for the first member.
    let precedingComma: Int?
  }

  fileprivate init(value: JSONValue, at place: Place) {
    let parser = value.parser
    let start = parser.structuralOffset(place.keyStructural)
    self.value = value
    valueStructural = place.keyStructural + 2
    range = start..<place.valueEnd
    valueRange = parser.structuralOffset(valueStructural)..<place.valueEnd
    if let precedingComma = place.precedingComma {
      removal = precedingComma..<place.valueEnd
    } else if parser.textByte(at: parser.structuralOffset(place.separator)) == UInt8(ascii: ",") {
      removal = start..<parser.structuralOffset(place.separator + 1)
    } else {
      removal = range
    }
  }

  /// The unescaped key.
  public var key: String? { JSONMember(value: value).key.string }

  /// The value as a located object; nil if it isn't an object.
  public var object: JSONLocatedObject? {
    JSONLocatedObject(object: value, structural: valueStructural)
  }

  /// Calls `body` with each element of an array that is an object, in the order of the text.
  public func forEachObject(_ body: (JSONLocatedObject) -> Void) {
    var elementStructural = valueStructural + 1
    for element in value.elements {
      if let object = JSONLocatedObject(object: element, structural: elementStructural) {
        body(object)
      }
      elementStructural = value.parser.endStructural(of: element, from: elementStructural).next + 1
    }
  }
}

extension JSONParser {
  /// The end of the value that starts with a structural character: the offset behind its last byte,
  /// and the number of the comma or brace that follows.
  fileprivate func endStructural(
    of value: JSONValue, from structural: Int
  ) -> (offset: Int, next: Int) {
    switch value.kind {
    case .object, .array:
      let next = structuralAfterContainer(structural)
      return (structuralOffset(next - 1) + 1, next)
    default:
      let next = structural + 1
      var offset = structuralOffset(next)
      while JSONParser.isWhiteSpace(textByte(at: offset - 1)) { offset -= 1 }
      return (offset, next)
    }
  }

  /// The number of the structural character behind the container that `opening` opens.
  private func structuralAfterContainer(_ opening: Int) -> Int {
    var depth = 0
    var structural = opening
    while structural < structuralCount {
      switch textByte(at: structuralOffset(structural)) {
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
      structural += 1
      if depth == 0 { return structural }
    }
    preconditionFailure("a validated container has an end")
  }

  private static func isWhiteSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }
}
