extension Currency {
  /// How many decimals its smallest unit has in ISO 4217: two, where the table doesn't say.
  public var minorDigits: Int { Currency.unusualDigits[code] ?? 2 }

  private static let unusualDigits: [String: Int] = {
    var digits: [String: Int] = [:]
    for code in [
      "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND",
      "VUV", "XAF", "XOF", "XPF",
    ] { digits[code] = 0 }
    for code in ["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"] { digits[code] = 3 }
    return digits
  }()

  fileprivate var nanoUnitsPerMinor: Int64 {
    (minorDigits..<Money.places).reduce(1) { power, _ in power * 10 }
  }
}

extension Money {
  /// The amount in its currency's smallest unit, such as cents; nil where it isn't a whole number
  /// of them.
  public var minorUnits: Int64? {
    let (units, rest) = nanoUnits.quotientAndRemainder(
      dividingBy: currency.nanoUnitsPerMinor)
    return rest == 0 ? units : nil
  }

  /// An amount given in its currency's smallest unit; nil where it is too large to be recorded.
  public init?(minorUnits: Int64, currency: Currency) {
    let (nanoUnits, overflows) = minorUnits.multipliedReportingOverflow(
      by: currency.nanoUnitsPerMinor)
    if overflows { return nil }
    self.init(nanoUnits: nanoUnits, currency: currency)
  }

  /// The amount with as many decimals as it needs, at least those of the smallest unit: `400.00`.
  public var shortText: String { text(leastDecimals: currency.minorDigits) }

  /// The amount with no more decimals than it needs: `400`.
  public var shortestText: String { text(leastDecimals: 0) }

  private func text(leastDecimals: Int) -> String {
    var text: [UInt8] = []
    if nanoUnits < 0 { text.append(UInt8(ascii: "-")) }
    DecimalText.append(
      nanoUnits.magnitude, places: Money.places, least: leastDecimals, to: &text)
    return String(decoding: text, as: UTF8.self)
  }
}
