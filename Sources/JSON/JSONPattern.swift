import CSimdjson

/// A text that was parsed, to recognize others that differ from it only in the contents of certain
/// strings and numbers: they are known to be JSON, and to mean the same, without being parsed.
///
/// A model's answer streams as hundreds of such events. Recognizing one is a comparison of its
/// bytes, a tenth of the work of parsing and reading it. Whatever doesn't compare is parsed.
public struct JSONPattern: Sendable {
  private let text: [UInt8]
  /// In the order of the text.
  private let places: [Place]

  /// A value of which another text may have another.
  private struct Place {
    /// The content of a string, without its quotation marks, or a number.
    let range: Range<Int>
    let kind: Kind
  }

  fileprivate enum Kind {
    case countedString, string, number
  }

  /// What a recognized text has in the places where it may differ.
  public struct Match: Hashable, Sendable {
    /// Bytes of the strings that are counted.
    public let countedBytes: Int
    /// How far what stood at `mark` has moved.
    public let shift: Int
  }

  /// Values by the keys of their members, wherever those stand in the text.
  public struct Keys: Sendable {
    let counted: [StaticString]
    let strings: [StaticString]
    let numbers: [StaticString]

    /// - Parameters:
    ///   - counted: of strings that may differ, whose bytes are counted.
    ///   - strings: of strings that may differ.
    ///   - numbers: of whole numbers that may differ.
    public init(counted: [StaticString], strings: [StaticString], numbers: [StaticString]) {
      self.counted = counted
      self.strings = strings
      self.numbers = numbers
    }
  }

  private let mark: Int

  /// Bytes of the strings that are counted, in the pattern itself.
  public var countedBytes: Int {
    places.reduce(0) { $0 + ($1.kind == .countedString ? $1.range.count : 0) }
  }

  /// More such values make no pattern: an event of a stream has two or three.
  private static let largestPlaceCount = 16

  /// The pattern of a text that was just parsed. Nil where a value that may differ is written with
  /// escapes, where there are too many, or where there is none.
  ///
  /// - Parameters:
  ///   - root: of the text.
  ///   - keys: of the values.
  ///   - mark: an offset in the text, outside of these values.
  public init?(of root: JSONValue, varying keys: Keys, mark: Int = 0) {
    root.requireCurrent()
    let text = root.parser.copiedText
    guard let places = JSONPattern.places(in: text.span, of: root.parser, keys) else { return nil }
    self.text = text
    self.places = places
    self.mark = mark
  }

  private static func places(
    in text: Span<UInt8>, of parser: JSONParser, _ keys: Keys
  ) -> [Place]? {
    var places: [Place] = []
    // A value follows its key and a colon.
    for structural in stride(from: 3, to: parser.structuralCount, by: 1)
    where text[parser.structuralOffset(structural - 1)] == UInt8(ascii: ":") {
      let key = text.extracting(droppingFirst: parser.structuralOffset(structural - 2) + 1)
      var start = parser.structuralOffset(structural)
      guard let kind = keys.kind(of: key, first: text[start]) else { continue }
      if kind != .number { start += 1 }
      guard let end = end(of: kind, in: text, from: start), places.count < largestPlaceCount else {
        return nil
      }
      places.append(Place(range: start..<end, kind: kind))
    }
    return places.isEmpty ? nil : places
  }

  /// Where such a value ends that starts at `start`; nil if it is written in any other way than
  /// the plain one.
  private static func end(of kind: Kind, in text: Span<UInt8>, from start: Int) -> Int? {
    kind == .number
      ? PlainJSON.endOfNumber(in: text, from: start)
      : PlainJSON.endOfString(in: text, from: start)
  }

  /// Compares a text with the pattern; nil if it differs anywhere else.
  public func match(_ other: Span<UInt8>) -> Match? {
    let text = text.span
    var (position, otherPosition) = (0, 0)
    var (countedBytes, shift) = (0, 0)
    for place in places {
      let count = place.range.lowerBound - position
      guard other.count - otherPosition >= count,
        text.extracting(position..<place.range.lowerBound).hasSameBytes(
          as: other.extracting(otherPosition..<otherPosition + count)),
        let end = JSONPattern.end(of: place.kind, in: other, from: otherPosition + count)
      else { return nil }
      let length = end - otherPosition - count
      if place.kind == .countedString { countedBytes += length }
      if place.range.upperBound <= mark { shift += length - place.range.count }
      position = place.range.upperBound
      otherPosition = end
    }
    guard
      text.extracting(position..<text.count).hasSameBytes(
        as: other.extracting(otherPosition..<other.count))
    else { return nil }
    return Match(countedBytes: countedBytes, shift: shift)
  }
}

extension JSONPattern.Keys {
  /// What kind of place the value is that begins with `first`, by the text from its key on.
  fileprivate func kind(of key: Span<UInt8>, first: UInt8) -> JSONPattern.Kind? {
    switch first {
    case UInt8(ascii: "\""):
      if counted.contains(where: { key.starts(withKey: $0) }) { return .countedString }
      return strings.contains { key.starts(withKey: $0) } ? .string : nil
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      return numbers.contains { key.starts(withKey: $0) } ? .number : nil
    default:
      return nil
    }
  }
}

extension Span<UInt8> {
  /// Whether `key` and the quotation mark that ends it are first.
  fileprivate func starts(withKey key: StaticString) -> Bool {
    let length = key.utf8CodeUnitCount
    guard count > length, self[length] == UInt8(ascii: "\"") else { return false }
    for index in 0..<length where unsafe self[index] != key.utf8Start[index] { return false }
    return true
  }
}

extension JSONParser {
  /// The text that was parsed last.
  fileprivate var copiedText: [UInt8] {
    unsafe Array(UnsafeBufferPointer(start: document.text, count: document.text_length))
  }
}
