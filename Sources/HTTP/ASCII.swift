/// The bytes that HTTP's grammar names.
enum ASCII {
  static let horizontalTab: UInt8 = 0x09
  static let lineFeed: UInt8 = 0x0A
  static let carriageReturn: UInt8 = 0x0D
  static let space: UInt8 = 0x20
  static let asterisk = UInt8(ascii: "*")
  static let colon = UInt8(ascii: ":")
  static let comma = UInt8(ascii: ",")
  static let questionMark = UInt8(ascii: "?")
  static let semicolon = UInt8(ascii: ";")
  static let slash = UInt8(ascii: "/")
}

extension UInt8 {
  /// Itself, but `a`–`z` for `A`–`Z`.
  var lowercasedASCII: UInt8 {
    self &- UInt8(ascii: "A") < 26 ? self | 0x20 : self
  }

  /// A space or a tab: what may surround a field's value.
  var isOptionalWhitespace: Bool {
    self == ASCII.space || self == ASCII.horizontalTab
  }

  /// The value of a decimal digit, 0…9.
  var decimalDigit: Int? {
    let value = self &- UInt8(ascii: "0")
    return value < 10 ? Int(value) : nil
  }

  /// The value of a hexadecimal digit of either case, 0…15.
  var hexadecimalDigit: Int? {
    if let decimalDigit { return decimalDigit }
    let value = lowercasedASCII &- UInt8(ascii: "a")
    return value < 6 ? Int(value) + 10 : nil
  }
}

extension String {
  /// The text of bytes; what isn't UTF-8 becomes U+FFFD.
  init(_ bytes: Span<UInt8>) {
    self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }
}

extension [UInt8] {
  mutating func append(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }

  mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { unsafe append(contentsOf: $0) }
  }
}

extension Span where Element == UInt8 {
  /// Whether these are the bytes of `lowercase` in any case; `lowercase` has no capitals.
  func equalsIgnoringCase(_ lowercase: Span<UInt8>) -> Bool {
    guard count == lowercase.count else { return false }
    for index in indices where self[index].lowercasedASCII != lowercase[index] {
      return false
    }
    return true
  }

  /// Whether these are the bytes of `text`, with `a` the same as `A`.
  func equalsIgnoringCase(_ text: String) -> Bool {
    guard count == text.utf8.count else { return false }
    var index = 0
    for byte in text.utf8 {
      guard self[index].lowercasedASCII == byte.lowercasedASCII else { return false }
      index += 1
    }
    return true
  }

  func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
    for index in range where self[index] == byte {
      return index
    }
    return nil
  }

  /// `range` without the spaces and tabs at its ends.
  func trimmingWhitespace(_ range: Range<Int>) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    while start < end, self[start].isOptionalWhitespace { start += 1 }
    while start < end, self[end - 1].isOptionalWhitespace { end -= 1 }
    return start..<end
  }
}
