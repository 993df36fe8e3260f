import CSimdjson

/// A parsed text, to recognize other texts that differ from it only in the contents of certain
/// strings and numbers. A recognized text is valid JSON with the same meaning, and needs no parse.
///
/// A model's answer streams as hundreds of such events. Recognizing one means comparing its bytes,
/// a tenth of the work of parsing and reading it. A text that differs anywhere else is parsed.
public struct JSONPattern: Sendable {
  private let text: [UInt8]
  /// In the order of the text.
  private let places: [Place]

  /// A value that may differ in another text.
  private struct Place {
    /// The content of a string, without its quotation marks, or a number.
    let range: Range<Int>
    let kind: Kind
  }

  fileprivate enum Kind {
    case countedString, string, number
  }

  /// The contents of a recognized text at the places that may differ.
  public struct Match: Hashable, Sendable {
    /// The bytes of all counted strings.
    public let countedBytes: Int
    /// The distance in bytes by which the text at `mark` has moved.
    public let shift: Int
  }

  /// The values that may differ, by the keys of their members at any depth of the text.
  public struct Keys: Sendable {
    let counted: [StaticString]
    let strings: [StaticString]
    let numbers: [StaticString]

    /// - Parameters:
    ///   - counted: keys of strings that may differ and whose bytes are counted.
    ///   - strings: keys of strings that may differ.
    ///   - numbers: keys of whole numbers that may differ.
    public init(counted: [StaticString], strings: [StaticString], numbers: [StaticString]) {
      self.counted = counted
      self.strings = strings
      self.numbers = numbers
    }
  }

  private let mark: Int

  /// The bytes of all counted strings in the pattern itself.
  public var countedBytes: Int {
    places.reduce(0) { $0 + ($1.kind == .countedString ? $1.range.count : 0) }
  }

  /// The most values that may differ: a text with more makes no pattern. An event of a stream has
  /// two or three.
  private static let largestPlaceCount = 16

  /// Makes the pattern of a text that was just parsed. Nil if a value that may differ is written
  /// with escapes, if there are more than 16 such values, or if there is none.
  ///
  /// - Parameters:
  ///   - root: the root of the text.
  ///   - keys: the keys of the values that may differ.
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

  /// The end of a value that starts at `start`; nil if it isn't a string without escapes or a small
  /// whole number.
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
  /// The kind of the value that begins with the byte `first`; nil if it may not differ. `key` is
  /// the text from its key on.
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
  /// Whether the text begins with `key` and the quotation mark that ends it.
  fileprivate func starts(withKey key: StaticString) -> Bool {
    let length = key.utf8CodeUnitCount
    guard count > length, self[length] == UInt8(ascii: "\"") else { return false }
    for index in 0..<length where unsafe self[index] != key.utf8Start[index] { return false }
    return true
  }
}

extension JSONParser {
  /// A copy of the text that was parsed last.
  fileprivate var copiedText: [UInt8] {
    unsafe Array(UnsafeBufferPointer(start: document.text, count: document.text_length))
  }
}
