/// An amount of a currency in whole nano-units (10⁻⁹). Money is recorded in this form only.
public struct Money: Hashable, Sendable {
  /// Billionths of one unit of `currency`.
  public let nanoUnits: Int64
  public let currency: Currency

  /// The number of decimals of an amount.
  public static let places = 9

  public init(nanoUnits: Int64, currency: Currency) {
    self.nanoUnits = nanoUnits
    self.currency = currency
  }

  /// Reads an amount with up to nine decimals exactly, for example `500.00`.
  ///
  /// - Throws: `malformedDecimal`, `tooManyDecimals` or `tooLarge`.
  public init(decimal text: String, currency: Currency) throws(MoneyError) {
    self.init(
      nanoUnits: try DecimalText.parse(text, places: Money.places), currency: currency)
  }

  /// The amount with all nine decimals, without the currency: `0.000123000`.
  public var decimalText: String {
    var text: [UInt8] = []
    appendDecimal(to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Appends `decimalText`.
  public func appendDecimal(to text: inout [UInt8]) {
    if nanoUnits < 0 { text.append(UInt8(ascii: "-")) }
    DecimalText.append(
      nanoUnits.magnitude, places: Money.places, least: Money.places, to: &text)
  }
}
