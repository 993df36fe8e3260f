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
  /// The byte with `A`–`Z` replaced by `a`–`z`.
  var lowercasedASCII: UInt8 {
    self &- UInt8(ascii: "A") < 26 ? self | 0x20 : self
  }

  /// Whether the byte is a space or a tab, which may surround a field's value.
  var isOptionalWhitespace: Bool {
    self == ASCII.space || self == ASCII.horizontalTab
  }

  /// The value of a decimal digit, 0…9; nil for any other byte.
  var decimalDigit: Int? {
    let value = self &- UInt8(ascii: "0")
    return value < 10 ? Int(value) : nil
  }

  /// The value of a hexadecimal digit of either case, 0…15; nil for any other byte.
  var hexadecimalDigit: Int? {
    if let decimalDigit { return decimalDigit }
    let value = lowercasedASCII &- UInt8(ascii: "a")
    return value < 6 ? Int(value) + 10 : nil
  }
}
