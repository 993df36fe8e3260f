enum ASCIIByte {
  static let hyphen = UInt8(ascii: "-")
  static let plus = UInt8(ascii: "+")
  static let colon = UInt8(ascii: ":")
  static let point = UInt8(ascii: ".")
  static let zero = UInt8(ascii: "0")
}

extension String {
  /// Makes a text of ASCII; `write` writes the bytes directly into it.
  ///
  /// - Parameter capacity: the most bytes that `write` writes.
  init(asciiCapacity capacity: Int, _ write: (inout OutputSpan<UInt8>) -> Void) {
    self = unsafe String(unsafeUninitializedCapacity: capacity) { text in
      var output = unsafe OutputSpan(buffer: text, initializedCount: 0)
      write(&output)
      return unsafe output.finalize(for: text)
    }
  }
}

extension OutputSpan<UInt8> {
  /// Appends a number that isn't negative with exactly `digits` digits: leading zeros fill it up,
  /// and higher digits are left out.
  mutating func append(_ number: Int, digits: Int) {
    // Two digits at a time, because divisions take longest.
    if digits > 2 { append(number / 100, digits: digits - 2) }
    let pair = UInt8(truncatingIfNeeded: number % 100)
    if digits > 1 { append(ASCIIByte.zero + pair / 10) }
    append(ASCIIByte.zero + pair % 10)
  }
}

/// Reads numbers of a fixed width and the characters between them, from left to right.
struct DigitReader {
  private var rest: String.UTF8View.SubSequence

  init(_ text: String.UTF8View) {
    rest = text[...]
  }

  var isAtEnd: Bool { rest.isEmpty }

  /// Reads a number of exactly `digits` digits; nil if another character is in the way.
  mutating func number(digits: Int) -> Int? {
    var number = 0
    for _ in 0..<digits {
      guard let digit = digit() else { return nil }
      number = number * 10 + digit
    }
    return number
  }

  private mutating func digit() -> Int? {
    guard let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else {
      return nil
    }
    rest.removeFirst()
    return Int(byte - ASCIIByte.zero)
  }

  /// Reads one of the given characters and returns it; nil if another one follows.
  mutating func take(_ signs: Unicode.Scalar...) -> Unicode.Scalar? {
    guard let byte = rest.first, let sign = signs.first(where: { $0.value == byte }) else {
      return nil
    }
    rest.removeFirst()
    return sign
  }
}
