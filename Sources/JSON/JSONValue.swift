/// A value of the text that was parsed last: a light cursor, which copies nothing until a property
/// asks for it.
///
/// If its parser has parsed another text since, using the value is a programming error and traps.
public struct JSONValue {
  let parser: JSONParser
  let generation: UInt64
  let index: Int

  /// The kind of a value. Numbers have several kinds, depending on how they are written.
  public enum Kind: Hashable, Sendable {
    case object, array, string, boolean, null
    /// An integer that `Int64` holds.
    case integer
    /// An integer above `Int64.max`.
    case largeInteger
    /// A number with a fraction or an exponent, even if its value is whole.
    case real
  }

  /// Traps if the parser has parsed another text since, because the tape then belongs to that text.
  @inline(__always)
  func requireCurrent() {
    precondition(generation == parser.generation, "a JSON value outlived its text")
  }

  /// The node's type on the tape.
  @inline(__always)
  var type: UInt8 {
    requireCurrent()
    return parser.type(at: index)
  }

  /// Another value of the same text.
  @inline(__always)
  func value(at index: Int) -> JSONValue {
    JSONValue(parser: parser, generation: generation, index: index)
  }

  public var kind: Kind {
    switch type {
    case JSONTape.objectStart: .object
    case JSONTape.arrayStart: .array
    case JSONTape.string: .string
    case JSONTape.integer: .integer
    case JSONTape.unsigned: .largeInteger
    case JSONTape.real: .real
    case JSONTape.true, JSONTape.false: .boolean
    default: .null
    }
  }

  public var isNull: Bool { kind == .null }

  /// The value of a boolean; nil for any other value.
  public var boolean: Bool? {
    switch type {
    case JSONTape.true: true
    case JSONTape.false: false
    default: nil
    }
  }

  /// The exact value of an integer that `Int64` holds; nil for any other value, including `1.0` and
  /// `1e3`.
  public var integer: Int64? {
    guard type == JSONTape.integer else { return nil }
    return Int64(bitPattern: parser.number(at: index))
  }

  /// The value of any number, rounded to a double; nil for any other value. It isn't for money.
  public var real: Double? {
    switch type {
    case JSONTape.integer: Double(Int64(bitPattern: parser.number(at: index)))
    case JSONTape.unsigned: Double(parser.number(at: index))
    case JSONTape.real: Double(bitPattern: parser.number(at: index))
    default: nil
    }
  }

  /// The unescaped text of a string; nil for any other value.
  public var string: String? {
    guard type == JSONTape.string else { return nil }
    return unsafe String(decoding: parser.utf8(at: index), as: UTF8.self)
  }

  /// The length of an unescaped string in bytes of UTF-8; nil for any other value.
  public var utf8Count: Int? {
    guard type == JSONTape.string else { return nil }
    return parser.utf8Count(at: index)
  }

  /// Calls `body` with the unescaped bytes of a string, without a copy; nil for any other value.
  public func withUTF8<Result>(_ body: (Span<UInt8>) -> Result) -> Result? {
    guard type == JSONTape.string else { return nil }
    let bytes = unsafe parser.utf8(at: index)
    return unsafe body(bytes.span)
  }

  /// Whether this is a string with exactly these bytes.
  public func isString(_ text: StaticString) -> Bool {
    type == JSONTape.string && parser.isString(at: index, text)
  }

  /// Whether this is a string with exactly these bytes.
  public func isString(_ text: String) -> Bool {
    guard type == JSONTape.string, parser.utf8Count(at: index) == text.utf8.count else {
      return false
    }
    return unsafe parser.utf8(at: index).elementsEqual(text.utf8)
  }
}
