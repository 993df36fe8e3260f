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

/// A currency by its ISO 4217 code: three upper-case ASCII letters, for example `USD`.
public struct Currency: Hashable, Sendable, Comparable {
  public let code: String

  public static let usd = Currency(unchecked: "USD")

  private init(unchecked code: String) {
    self.code = code
  }

  /// Makes a currency of a code; lower case becomes upper case. Nil if `code` isn't three ASCII
  /// letters.
  public init?(_ code: String) {
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    guard code.utf8.count == 3, code.utf8.allSatisfy({ letters.contains($0 | 0x20) }) else {
      return nil
    }
    self.init(unchecked: code.uppercased())
  }

  public static func < (left: Currency, right: Currency) -> Bool {
    left.code < right.code
  }
}

/// The reason why a text isn't an amount, or why rates can't be used.
public enum MoneyError: Error, Hashable, Sendable {
  /// Anything but digits, or digits, a point and digits: a sign, an exponent or a space isn't
  /// allowed.
  case malformedDecimal
  /// The text has more decimals than can be kept exactly.
  case tooManyDecimals(allowed: Int)
  /// The amount doesn't fit an `Int64`.
  case tooLarge
  /// A rate is zero, or the US dollar's isn't 1.
  case invalidRate(Currency)
  /// A currency that needs a rate has none.
  case missingRate(Currency)
}
