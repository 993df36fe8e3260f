/// A non-negative, exact decimal with twelve places: a price or an exchange rate as a file states
/// it.
public struct FixedDecimal: Hashable, Comparable, Sendable {
  /// The value × 10¹².
  public let scaled: Int64

  /// The number of decimal places of `scaled`.
  public static let places = 12

  public init(scaled: Int64) {
    precondition(scaled >= 0, "a price or rate is never negative")
    self.scaled = scaled
  }

  /// Reads a decimal with up to twelve decimals exactly, for example `0.075`.
  ///
  /// - Throws: `malformedDecimal`, `tooManyDecimals` or `tooLarge`.
  public init(decimal text: String) throws(MoneyError) {
    scaled = try DecimalText.parse(text, places: FixedDecimal.places)
  }

  public static let zero = FixedDecimal(scaled: 0)
  public static let one = FixedDecimal(scaled: 1_000_000_000_000)

  /// The shortest exact text: `0.075`, `5.4`, `1`.
  public var decimalText: String {
    var text: [UInt8] = []
    DecimalText.append(scaled.magnitude, places: FixedDecimal.places, least: 0, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// The exact text with nine decimals like money, or more if the value has more: `0.075000000`.
  public var moneyText: String {
    var text: [UInt8] = []
    DecimalText.append(
      scaled.magnitude, places: FixedDecimal.places, least: Money.places, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  public static func < (left: FixedDecimal, right: FixedDecimal) -> Bool {
    left.scaled < right.scaled
  }
}
