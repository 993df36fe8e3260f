/// Writes one JSON text, compact, into a byte array.
///
/// ```swift
/// var writer = JSONWriter()
/// writer.object { $0.member("id", 7); $0.member("tags") { $0.array { $0.string("new") } } }
/// ```
public struct JSONWriter: Sendable {
  /// The text written so far.
  public private(set) var bytes: [UInt8]
  /// Whether the next value or key needs a comma before it.
  private var needsComma = false

  /// - Parameter bytes: the bytes to append the text to.
  public init(appendingTo bytes: [UInt8] = []) {
    self.bytes = bytes
  }

  /// Writes an object; `content` writes its members.
  ///
  /// - Throws: The error of `content`.
  public mutating func object<Failure: Error>(
    _ content: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    try container(UInt8(ascii: "{"), UInt8(ascii: "}"), content)
  }

  /// Writes an array; `content` writes its elements.
  ///
  /// - Throws: The error of `content`.
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

  /// Writes a key. Exactly one value must follow.
  public mutating func key(_ key: String) {
    quoted(key, isKey: true)
    needsComma = false
  }

  /// Writes a key that is a constant of the program and needs no escapes. Exactly one value must
  /// follow.
  public mutating func key(constant key: StaticString) {
    let bytes = unsafe UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount)
    unsafe appendPlain(bytes, isKey: true)
    needsComma = false
  }

  public mutating func string(_ text: String) {
    quoted(text, isKey: false)
    needsComma = true
  }

  /// Writes a string that is a constant of the program and needs no escapes.
  public mutating func string(constant text: StaticString) {
    let bytes = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    unsafe appendPlain(bytes, isKey: false)
    needsComma = true
  }

  private mutating func quoted(_ text: String, isKey: Bool) {
    // Most strings are contiguous and need no escapes: they take one pass and one copy.
    let isWritten: Void? = unsafe text.utf8.withContiguousStorageIfAvailable { utf8 in
      unsafe quoted(utf8, isKey: isKey)
    }
    if isWritten == nil {
      unsafe Array(text.utf8).withUnsafeBufferPointer { unsafe quoted($0, isKey: isKey) }
    }
  }

  private mutating func quoted(_ utf8: UnsafeBufferPointer<UInt8>, isKey: Bool) {
    guard unsafe PlainJSON.needsEscapes(utf8.span) else {
      return unsafe appendPlain(utf8, isKey: isKey)
    }
    separate()
    bytes.append(UInt8(ascii: "\""))
    unsafe utf8.forEach { appendEscaped($0) }
    append(isKey ? "\":" : "\"")
  }

  /// Writes the comma, the quotation marks and the text with one check of the array's capacity:
  /// three appends would cost more than the copy.
  private mutating func appendPlain(_ text: UnsafeBufferPointer<UInt8>, isKey: Bool) {
    let needsComma = needsComma
    let most = text.count + JSONWriter.largestPunctuation
    bytes.append(addingCapacity: most) { output in
      unsafe output.appendBytes(atMost: most) { room in
        var count = 0
        if needsComma { unsafe room.put(UInt8(ascii: ","), at: &count) }
        unsafe room.put(UInt8(ascii: "\""), at: &count)
        unsafe room.put(text, at: &count)
        unsafe room.put(UInt8(ascii: "\""), at: &count)
        if isKey { unsafe room.put(UInt8(ascii: ":"), at: &count) }
        return count
      }
    }
  }

  public mutating func integer(_ value: Int64) {
    let (magnitude, needsComma) = (value.magnitude, needsComma)
    let most = JSONWriter.mostDigits + JSONWriter.largestPunctuation
    bytes.append(addingCapacity: most) { output in
      unsafe output.appendBytes(atMost: most) { room in
        var count = 0
        if needsComma { unsafe room.put(UInt8(ascii: ","), at: &count) }
        if value < 0 { unsafe room.put(UInt8(ascii: "-"), at: &count) }
        unsafe room.put(digitsOf: magnitude, at: &count)
        return count
      }
    }
    self.needsComma = true
  }

  public mutating func boolean(_ value: Bool) {
    raw(value ? "true" : "false")
  }

  public mutating func null() {
    raw("null")
  }

  /// Writes a value that already is JSON.
  public mutating func raw(_ json: some Sequence<UInt8>) {
    separate()
    bytes.append(contentsOf: json)
  }

  /// Writes a value that already is JSON.
  public mutating func raw(_ json: StaticString) {
    let needsComma = needsComma
    let text = unsafe UnsafeBufferPointer(start: json.utf8Start, count: json.utf8CodeUnitCount)
    let most = text.count + JSONWriter.largestPunctuation
    bytes.append(addingCapacity: most) { output in
      unsafe output.appendBytes(atMost: most) { room in
        var count = 0
        if needsComma { unsafe room.put(UInt8(ascii: ","), at: &count) }
        unsafe room.put(text, at: &count)
        return count
      }
    }
    self.needsComma = true
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

  /// The digits of the largest `UInt64`.
  private static let mostDigits = 20
  /// A comma, two quotation marks and a colon.
  private static let largestPunctuation = 4
}

extension OutputSpan where Element == UInt8 {
  /// Gives `write` room for `most` bytes; `write` returns the number that it wrote. With the span's
  /// own `append`, each byte would cost a call.
  @inline(__always)
  fileprivate mutating func appendBytes(
    atMost most: Int, _ write: (UnsafeMutablePointer<UInt8>) -> Int
  ) {
    unsafe withUnsafeMutableBufferPointer { room, count in
      precondition(count + most <= room.count, "no room for a text")
      guard let start = room.baseAddress else { return }
      count += unsafe write(start + count)
    }
  }
}

extension UnsafeMutablePointer<UInt8> {
  @inline(__always)
  fileprivate func put(_ byte: UInt8, at count: inout Int) {
    unsafe self[count] = byte
    count += 1
  }

  @inline(__always)
  fileprivate func put(_ bytes: UnsafeBufferPointer<UInt8>, at count: inout Int) {
    if let start = bytes.baseAddress {
      unsafe (self + count).update(from: start, count: bytes.count)
    }
    count += bytes.count
  }

  @inline(__always)
  fileprivate func put(digitsOf magnitude: UInt64, at count: inout Int) {
    // Most numbers in records are small.
    guard magnitude >= 10 else {
      return unsafe put(UInt8(ascii: "0") + UInt8(magnitude), at: &count)
    }
    var (rest, length) = (magnitude, 0)
    repeat {
      rest /= 10
      length += 1
    } while rest > 0
    rest = magnitude
    for index in stride(from: count + length - 1, through: count, by: -1) {
      unsafe self[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    count += length
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

  /// Writes a key and its value, or null.
  public mutating func member(_ key: String, optional value: Int64?) {
    self.key(key)
    if let value { integer(value) } else { null() }
  }

  /// Writes a key and its value.
  public mutating func member(_ key: String, _ value: Bool) {
    self.key(key)
    boolean(value)
  }

  /// Writes a key; `value` writes its value.
  ///
  /// - Throws: The error of `value`.
  public mutating func member<Failure: Error>(
    _ key: String, _ value: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    self.key(key)
    try value(&self)
  }
}

extension JSONWriter {
  /// Writes a value that was read, without its white space.
  ///
  /// A number that isn't a 64-bit integer is rounded to a double.
  public mutating func value(_ value: JSONValue) {
    switch value.kind {
    case .object:
      object { object in
        for member in value.members {
          object.key(member.key.string ?? "")
          object.value(member.value)
        }
      }
    case .array:
      array { array in for element in value.elements { array.value(element) } }
    case .string: string(value.string ?? "")
    case .boolean: boolean(value.boolean ?? false)
    case .null: null()
    case .integer: integer(value.integer ?? 0)
    case .largeInteger, .real: raw("\(value.real ?? 0)".utf8)
    }
  }
}
