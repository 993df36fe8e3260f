/// Writes one JSON text, compact, into a byte array.
///
/// ```swift
/// var writer = JSONWriter()
/// writer.object { $0.member("id", 7); $0.member("tags") { $0.array { $0.string("new") } } }
/// ```
public struct JSONWriter: Sendable {
  /// What has been written so far.
  public private(set) var bytes: [UInt8]
  /// Whether the next value or key needs a comma before it.
  private var needsComma = false

  /// - Parameter bytes: what the text is appended to.
  public init(appendingTo bytes: [UInt8] = []) {
    self.bytes = bytes
  }

  /// Writes an object, whose members `content` writes.
  public mutating func object<Failure: Error>(
    _ content: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    try container(UInt8(ascii: "{"), UInt8(ascii: "}"), content)
  }

  /// Writes an array, whose elements `content` writes.
  public mutating func array<Failure: Error>(
    _ content: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    try container(UInt8(ascii: "["), UInt8(ascii: "]"), content)
  }

  private mutating func container<Failure: Error>(
    _ opening: UInt8, _ closing: UInt8, _ content: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    separate()
    bytes.append(opening)
    needsComma = false
    try content(&self)
    bytes.append(closing)
    needsComma = true
  }

  /// Writes a key; exactly one value must follow.
  public mutating func key(_ key: String) {
    string(key)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// Writes a key that is known when the program is written, with nothing in it to escape; exactly
  /// one value must follow.
  public mutating func key(constant key: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    append(key)
    append("\":")
    needsComma = false
  }

  public mutating func string(_ text: String) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    // Strings are mostly contiguous and without anything to escape: one pass, one copy.
    var text = text
    text.withUTF8 { utf8 in
      if unsafe PlainJSON.needsEscapes(utf8.span) {
        unsafe utf8.forEach { appendEscaped($0) }
      } else {
        unsafe bytes.append(contentsOf: utf8)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  public mutating func integer(_ value: Int64) {
    separate()
    appendDigits(of: value.magnitude, isNegative: value < 0)
  }

  public mutating func boolean(_ value: Bool) {
    raw(value ? "true" : "false")
  }

  public mutating func null() {
    raw("null")
  }

  /// Writes a value that is JSON already.
  public mutating func raw(_ json: some Sequence<UInt8>) {
    separate()
    bytes.append(contentsOf: json)
  }

  /// Writes a value that is JSON already.
  public mutating func raw(_ json: StaticString) {
    separate()
    append(json)
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
  }

  private mutating func appendEscaped(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
    case UInt8(ascii: "\n"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
    case UInt8(ascii: "\r"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "r")]
    case UInt8(ascii: "\t"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "t")]
    case 0..<0x20: appendControl(byte)
    default: bytes.append(byte)
    }
  }

  private mutating func appendControl(_ byte: UInt8) {
    append(byte < 0x10 ? "\\u000" : "\\u001")
    let digit = byte & 0x0F
    bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
  }

  private mutating func append(_ text: StaticString) {
    unsafe bytes.append(
      contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  private mutating func appendDigits(of magnitude: UInt64, isNegative: Bool) {
    if isNegative { bytes.append(UInt8(ascii: "-")) }
    // UInt64 has 20 digits at most.
    var digits = InlineArray<20, UInt8>(repeating: 0)
    var first = digits.count
    var rest = magnitude
    repeat {
      first -= 1
      digits[first] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
    } while rest > 0
    unsafe digits.span.extracting(first..<digits.count).withUnsafeBufferPointer {
      unsafe bytes.append(contentsOf: $0)
    }
  }
}

extension JSONWriter {
  /// Writes a key and its value.
  public mutating func member(_ key: String, _ value: String) {
    self.key(key)
    string(value)
  }

  /// Writes a key and its value, or null.
  public mutating func member(_ key: String, _ value: String?) {
    self.key(key)
    if let value { string(value) } else { null() }
  }

  /// Writes a key and its value.
  public mutating func member(_ key: String, _ value: Int64) {
    self.key(key)
    integer(value)
  }

  /// Writes a key and its value.
  public mutating func member(_ key: String, _ value: Bool) {
    self.key(key)
    boolean(value)
  }

  /// Writes a key, whose value `value` writes.
  public mutating func member<Failure: Error>(
    _ key: String, _ value: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    self.key(key)
    try value(&self)
  }
}
