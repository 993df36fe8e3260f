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
    quoted(key, isKey: true)
    needsComma = false
  }

  /// Writes a key that is known when the program is written, with nothing in it to escape; exactly
  /// one value must follow.
  public mutating func key(constant key: StaticString) {
    let bytes = unsafe UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount)
    unsafe appendPlain(bytes, isKey: true)
    needsComma = false
  }

  public mutating func string(_ text: String) {
    quoted(text, isKey: false)
    needsComma = true
  }

  /// Writes a string that is known when the program is written, with nothing in it to escape.
  public mutating func string(constant text: StaticString) {
    let bytes = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    unsafe appendPlain(bytes, isKey: false)
    needsComma = true
  }

  private mutating func quoted(_ text: String, isKey: Bool) {
    // Strings are mostly contiguous and without anything to escape: one pass, one copy.
    var text = text
    text.withUTF8 { utf8 in
      if unsafe PlainJSON.needsEscapes(utf8.span) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        unsafe utf8.forEach { appendEscaped($0) }
        append(isKey ? "\":" : "\"")
      } else {
        unsafe appendPlain(utf8, isKey: isKey)
      }
    }
  }

  /// The comma, the quotation marks and what stands in them, with one look at the array's room:
  /// three appends would cost more than the copy.
  private mutating func appendPlain(_ text: UnsafeBufferPointer<UInt8>, isKey: Bool) {
    let needsComma = needsComma
    bytes.append(addingCapacity: text.count + JSONWriter.largestPunctuation) { output in
      if needsComma { output.append(UInt8(ascii: ",")) }
      output.append(UInt8(ascii: "\""))
      unsafe output.append(copying: text)
      output.append(UInt8(ascii: "\""))
      if isKey { output.append(UInt8(ascii: ":")) }
    }
  }

  public mutating func integer(_ value: Int64) {
    let (magnitude, needsComma) = (value.magnitude, needsComma)
    bytes.append(addingCapacity: JSONWriter.mostDigits + JSONWriter.largestPunctuation) { output in
      if needsComma { output.append(UInt8(ascii: ",")) }
      if value < 0 { output.append(UInt8(ascii: "-")) }
      output.append(digitsOf: magnitude)
    }
    self.needsComma = true
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

  /// Of a `UInt64`.
  private static let mostDigits = 20
  /// A comma, two quotation marks and a colon.
  private static let largestPunctuation = 4
}

extension OutputSpan where Element == UInt8 {
  fileprivate mutating func append(copying bytes: UnsafeBufferPointer<UInt8>) {
    unsafe withUnsafeMutableBufferPointer { room, count in
      let end = count + bytes.count
      precondition(end <= room.count, "no room for a text")
      _ = unsafe UnsafeMutableBufferPointer(rebasing: room[count..<end])
        .update(fromContentsOf: bytes)
      count = end
    }
  }

  fileprivate mutating func append(digitsOf magnitude: UInt64) {
    // Most numbers in records are zero or small.
    guard magnitude >= 10 else { return append(UInt8(ascii: "0") + UInt8(magnitude)) }
    var digits = InlineArray<20, UInt8>(repeating: 0)
    var first = digits.count
    var rest = magnitude
    repeat {
      first -= 1
      digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
    for index in first..<digits.count { append(digits[index]) }
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
