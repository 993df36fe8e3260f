internal import Money

extension FixedDecimal {
  /// A number of JSON times ten to the power of `places`, exact: `1.5e-07` by 6 places is `0.15`.
  ///
  /// Nil where it is negative, has more than twelve decimals, or is too large.
  init?(json text: String, shiftedBy places: Int) {
    guard let (whole, decimals) = FixedDecimal.digits(of: text, shiftedBy: places),
      let value = FixedDecimal(whole, decimals)
    else { return nil }
    self = value
  }

  /// The same, with more than twelve decimals rounded up.
  init?(roundingUp text: String, shiftedBy places: Int) {
    guard let (whole, decimals) = FixedDecimal.digits(of: text, shiftedBy: places),
      let value = FixedDecimal(whole, decimals.prefix(FixedDecimal.places)), value.scaled < .max
    else { return nil }
    self.init(scaled: value.scaled + (decimals.count > FixedDecimal.places ? 1 : 0))
  }

  private init?(_ whole: ArraySlice<UInt8>, _ decimals: ArraySlice<UInt8>) {
    var text = String(decoding: whole, as: UTF8.self)
    if !decimals.isEmpty { text += "." + String(decoding: decimals, as: UTF8.self) }
    guard let value = try? FixedDecimal(decimal: text) else { return nil }
    self = value
  }

  /// Beyond any price; it keeps the text between short.
  private static let largestExponent = 40
  private static let zero = UInt8(ascii: "0")

  /// The digits before and behind the point, without zeros at the end.
  private static func digits(
    of text: String, shiftedBy places: Int
  ) -> (whole: ArraySlice<UInt8>, decimals: ArraySlice<UInt8>)? {
    let parts = text.split(
      maxSplits: 1, omittingEmptySubsequences: false, whereSeparator: { $0 == "e" || $0 == "E" })
    guard let mantissa = parts.first, let exponent = parts.count > 1 ? Int(parts[1]) : 0,
      (-largestExponent...largestExponent).contains(exponent)
    else { return nil }
    let sides = mantissa.split(separator: ".", omittingEmptySubsequences: false)
    guard sides.count <= 2, let whole = sides.first else { return nil }
    let digits = Array((whole + (sides.count == 2 ? sides[1] : "")).utf8)
    let allowed = zero...UInt8(ascii: "9")
    guard !digits.isEmpty, digits.allSatisfy(allowed.contains) else { return nil }
    let point = whole.utf8.count + exponent + places
    let leading = Array(repeating: zero, count: max(0, 1 - point))
    let trailing = Array(repeating: zero, count: max(0, point - digits.count))
    let padded = leading + digits + trailing
    var decimals = padded[max(point, 1)...]
    while decimals.last == zero { decimals.removeLast() }
    return (padded[..<max(point, 1)], decimals)
  }
}
