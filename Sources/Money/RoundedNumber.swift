extension Money {
  /// The largest exponent of either sign that is read.
  private static let largestExponent = 100
  private static let mostDigits = 200

  /// Reads a JSON number (`0.06`, `1.5e-05`, `-2`) and rounds it to the nearest nano-unit, half
  /// away from zero. It uses no binary float. It is for reports of providers, not for prices.
  ///
  /// Nil for any other text, and if the amount doesn't fit.
  public init?(roundingNumber text: String, currency: Currency) {
    guard let number = ScientificNumber(text), abs(number.exponent) <= Money.largestExponent,
      number.digits.count <= Money.mostDigits,
      let nanoUnits = number.rounded(places: Money.places)
    else { return nil }
    self.init(nanoUnits: nanoUnits, currency: currency)
  }
}

/// A JSON number: its digits without the point, and the power of ten by which to multiply them.
private struct ScientificNumber {
  var isNegative = false
  var digits: [UInt8] = []
  var exponent = 0

  init?(_ text: String) {
    var rest = text.utf8[...]
    if rest.first == UInt8(ascii: "-") {
      isNegative = true
      rest.removeFirst()
    }
    let whole = ScientificNumber.takeDigits(from: &rest)
    guard !whole.isEmpty else { return nil }
    digits = whole
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      let decimals = ScientificNumber.takeDigits(from: &rest)
      guard !decimals.isEmpty else { return nil }
      digits += decimals
      exponent = -decimals.count
    }
    if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
      rest.removeFirst()
      guard let power = Int(String(decoding: rest, as: UTF8.self)),
        (-1_000...1_000).contains(power)
      else { return nil }
      exponent += power
      rest = rest.suffix(0)
    }
    guard rest.isEmpty else { return nil }
  }

  private static func takeDigits(from text: inout Substring.UTF8View) -> [UInt8] {
    let taken = text.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    text = text.dropFirst(taken.count)
    return taken.map { $0 - UInt8(ascii: "0") }
  }

  /// The number × 10^`places` as an integer; nil if it doesn't fit.
  func rounded(places: Int) -> Int64? {
    let shift = exponent + places
    let kept = max(0, digits.count + min(0, shift))
    var value: Int64 = 0
    for digit in digits.prefix(kept) + Array(repeating: 0, count: max(0, shift)) {
      let (product, productOverflows) = value.multipliedReportingOverflow(by: 10)
      let (sum, sumOverflows) = product.addingReportingOverflow(Int64(digit))
      if productOverflows || sumOverflows { return nil }
      value = sum
    }
    // The first digit that is cut off decides. If the cut lies before all digits, it is a zero.
    if shift < 0, digits.count + shift >= 0, digits[kept] >= 5 {
      let (sum, overflows) = value.addingReportingOverflow(1)
      if overflows { return nil }
      value = sum
    }
    return isNegative ? -value : value
  }
}
