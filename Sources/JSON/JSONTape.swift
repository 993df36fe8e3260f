import CSimdjson

/// The layout of a document in simdjson: words of 64 bits, the type of a node in the top byte.
///
/// - An object or array holds in its low 32 bits the index behind its closing word.
/// - A number's value is in the word that follows it.
/// - A string holds the offset of its length and bytes in the buffer of unescaped strings.
enum JSONTape {
  /// The root's index. The first word only states where the tape ends.
  static let root = 1

  static let objectStart = UInt8(ascii: "{")
  static let objectEnd = UInt8(ascii: "}")
  static let arrayStart = UInt8(ascii: "[")
  static let arrayEnd = UInt8(ascii: "]")
  static let string = UInt8(ascii: "\"")
  static let integer = UInt8(ascii: "l")
  static let unsigned = UInt8(ascii: "u")
  static let real = UInt8(ascii: "d")
  static let `true` = UInt8(ascii: "t")
  static let `false` = UInt8(ascii: "f")
}

extension JSONParser {
  /// The type of the node at a tape index.
  @inline(__always)
  func type(at index: Int) -> UInt8 {
    unsafe UInt8(truncatingIfNeeded: document.tape[index] >> 56)
  }

  /// The second word of a number.
  @inline(__always)
  func number(at index: Int) -> UInt64 {
    unsafe document.tape[index + 1]
  }

  /// The index behind a node and all nodes in it.
  @inline(__always)
  func index(after index: Int) -> Int {
    switch type(at: index) {
    case JSONTape.objectStart, JSONTape.arrayStart:
      unsafe Int(document.tape[index] & 0xFFFF_FFFF)
    case JSONTape.integer, JSONTape.unsigned, JSONTape.real: index + 2
    default: index + 1
    }
  }

  /// The length of the string at a tape index, in bytes of UTF-8.
  @inline(__always)
  func utf8Count(at index: Int) -> Int {
    let start = unsafe UnsafeRawPointer(document.strings + stringOffset(at: index))
    return unsafe Int(start.loadUnaligned(as: UInt32.self))
  }

  /// The bytes of the string at a tape index.
  @unsafe @inline(__always)
  func utf8(at index: Int) -> UnsafeBufferPointer<UInt8> {
    unsafe UnsafeBufferPointer(
      start: document.strings + stringOffset(at: index) + MemoryLayout<UInt32>.size,
      count: utf8Count(at: index))
  }

  /// The first eight bytes of the string at a tape index, the first one lowest.
  ///
  /// After a shorter string the bytes of the buffer follow: simdjson's buffer has room for at least
  /// 64 bytes more than all strings need.
  @inline(__always)
  func firstBytes(at index: Int) -> UInt64 {
    let start = unsafe UnsafeRawPointer(document.strings + stringOffset(at: index))
    return unsafe UInt64(
      littleEndian: start.loadUnaligned(
        fromByteOffset: MemoryLayout<UInt32>.size, as: UInt64.self))
  }

  /// Whether the string at a tape index has exactly these bytes.
  @inline(__always)
  func isString(at index: Int, _ text: StaticString) -> Bool {
    unsafe utf8(at: index).isEqual(
      to: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  @inline(__always)
  private func stringOffset(at index: Int) -> Int {
    unsafe Int(document.tape[index] & 0x00FF_FFFF_FFFF_FFFF)
  }

  /// The number of braces, brackets, colons, commas, strings and scalars in the text.
  var structuralCount: Int { unsafe document.structural_count }

  /// The offset in the text of the brace, bracket, colon, comma, string or scalar with this number.
  @inline(__always)
  func structuralOffset(_ structural: Int) -> Int {
    unsafe Int(document.structurals[structural])
  }

  @inline(__always)
  func textByte(at offset: Int) -> UInt8 {
    unsafe document.text[offset]
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Compares the lengths first, because keys mostly differ in them.
  @inline(__always)
  func isEqual(to other: UnsafeBufferPointer<UInt8>) -> Bool {
    guard count == other.count else { return false }
    for offset in 0..<count {
      guard unsafe self[offset] == other[offset] else { return false }
    }
    return true
  }
}
