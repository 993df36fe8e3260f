extension Currency {
  /// The number of decimals of the currency's smallest unit in ISO 4217: 2 for `USD`, 0 for `JPY`.
  /// It is 2 for a code that the table doesn't have.
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
  /// The amount in the currency's smallest unit, for example cents; nil if it isn't a whole number
  /// of them.
  public var minorUnits: Int64? {
    let (units, rest) = nanoUnits.quotientAndRemainder(
      dividingBy: currency.nanoUnitsPerMinor)
    return rest == 0 ? units : nil
  }

  /// Makes an amount from a number of the currency's smallest unit; nil if it is too large.
  public init?(minorUnits: Int64, currency: Currency) {
    let (nanoUnits, overflows) = minorUnits.multipliedReportingOverflow(
      by: currency.nanoUnitsPerMinor)
    if overflows { return nil }
    self.init(nanoUnits: nanoUnits, currency: currency)
  }

  /// The amount with the decimals that it needs, at least those of the smallest unit: `400.00`.
  public var shortText: String { text(leastDecimals: currency.minorDigits) }

  /// The amount with only the decimals that it needs: `400`.
  public var shortestText: String { text(leastDecimals: 0) }

  private func text(leastDecimals: Int) -> String {
    var text: [UInt8] = []
    if nanoUnits < 0 { text.append(UInt8(ascii: "-")) }
    DecimalText.append(
      nanoUnits.magnitude, places: Money.places, least: leastDecimals, to: &text)
    return String(decoding: text, as: UTF8.self)
  }
}
