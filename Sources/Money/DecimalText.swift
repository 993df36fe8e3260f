/// Reads and writes decimals in their one text form: `12` or `0.15`, without a sign or an exponent,
/// and with a digit on either side of the point.
enum DecimalText {
  /// The exact value × 10^`places`: `0.15` with 12 places is 150,000,000,000.
  ///
  /// - Throws: `malformedDecimal`, `tooManyDecimals` or `tooLarge`.
  static func parse(_ text: String, places: Int) throws(MoneyError) -> Int64 {
    var scaled: Int64 = 0
    var wholeDigits = 0
    var decimals: Int?
    for byte in text.utf8 {
      if byte == point, wholeDigits > 0, decimals == nil {
        decimals = 0
        continue
      }
      guard digits.contains(byte) else { throw .malformedDecimal }
      if let count = decimals {
        guard count < places else { throw .tooManyDecimals(allowed: places) }
        decimals = count + 1
      } else {
        wholeDigits += 1
      }
      scaled = try shifted(scaled, appending: Int64(byte - zero))
    }
    guard wholeDigits > 0, decimals != 0 else { throw .malformedDecimal }
    for _ in (decimals ?? 0)..<places { scaled = try shifted(scaled, appending: 0) }
    return scaled
  }

  /// Appends `magnitude` / 10^`places` with at least `least` decimals. Zeros beyond them are left
  /// out.
  static func append<Magnitude: FixedWidthInteger & UnsignedInteger>(
    _ magnitude: Magnitude, places: Int, least: Int, to text: inout [UInt8]
  ) {
    var rest = magnitude
    // 128 bits have at most 39 digits; the point is the 40th byte.
    var digits = InlineArray<40, UInt8>(repeating: zero)
    var first = digits.count
    var position = 0
    while rest > 0 || position <= places {
      let digit = zero + UInt8(rest % 10)
      rest /= 10
      let hasDigits = first < digits.count
      let isTrailingZero =
        position < places && digit == zero && !hasDigits && places - position > least
      if position == places, hasDigits {
        first -= 1
        digits[first] = point
      }
      if !isTrailingZero {
        first -= 1
        digits[first] = digit
      }
      position += 1
    }
    for index in first..<digits.count { text.append(digits[index]) }
  }

  private static func shifted(
    _ number: Int64, appending digit: Int64
  ) throws(MoneyError) -> Int64 {
    let (product, productOverflow) = number.multipliedReportingOverflow(by: 10)
    let (sum, sumOverflow) = product.addingReportingOverflow(digit)
    if productOverflow || sumOverflow { throw .tooLarge }
    return sum
  }

  private static let point = UInt8(ascii: ".")
  private static let zero = UInt8(ascii: "0")
  private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
}

extension Int64 {
  /// The digits in groups of three: `998,120`.
  public var groupedByThousands: String {
    let digits = String(magnitude)
    var text = self < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0 && (digits.count - index) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return text
  }
}
