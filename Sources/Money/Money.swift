/// An amount of a currency in whole nano-units (10⁻⁹), the only form in which money is recorded.
public struct Money: Hashable, Sendable {
  /// Billionths of one unit of `currency`.
  public let nanoUnits: Int64
  public let currency: Currency

  /// How many decimals an amount has.
  public static let places = 9

  public init(nanoUnits: Int64, currency: Currency) {
    self.nanoUnits = nanoUnits
    self.currency = currency
  }

  /// Reads an amount with up to nine decimals, such as `500.00`, exactly.
  public init(decimal text: String, currency: Currency) throws(MoneyError) {
    self.init(
      nanoUnits: try DecimalText.parse(text, places: Money.places), currency: currency)
  }

  /// All nine decimals, without the currency: `0.000123000`.
  public var decimalText: String {
    var text: [UInt8] = []
    appendDecimal(to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Appends what `decimalText` says.
  public func appendDecimal(to text: inout [UInt8]) {
    if nanoUnits < 0 { text.append(UInt8(ascii: "-")) }
    DecimalText.append(
      nanoUnits.magnitude, places: Money.places, least: Money.places, to: &text)
  }
}
