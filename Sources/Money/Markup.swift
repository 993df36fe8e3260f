/// The percentage that a client is charged above a price, or below it: `20%`, `-5%`.
///
/// It is above -100% and at most 1000%, with up to two decimals.
///
/// Example: at 20%, a request that costs $0.50 is charged $0.60; at -5%, $0.475.
public struct Markup: Hashable, Sendable, CustomStringConvertible {
  /// In hundredths of a percent: 2000 is 20%.
  public let hundredths: Int64

  /// No markup: the client is charged the price itself.
  public static let none = Markup(hundredths: 0)

  /// The rule for the texts that `init(_:)` reads, for messages.
  public static let rule =
    "a percentage such as \"20%\" or \"-5%\", above -100% and up to 1000%, with at most two "
    + "decimals"

  private static let range: ClosedRange<Int64> = -9_999...100_000
  /// 100% in hundredths of a percent.
  static let whole: Int64 = 10_000

  init(hundredths: Int64) {
    self.hundredths = hundredths
  }

  /// Reads `20%`, `-5%` or `12.75%`; nil for any other text.
  public init?(_ text: String) {
    guard text.hasSuffix("%"), text.utf8.count <= Markup.longestText else { return nil }
    let isNegative = text.hasPrefix("-")
    let digits = text.dropFirst(isNegative ? 1 : 0).dropLast()
    guard let magnitude = try? DecimalText.parse(String(digits), places: 2) else { return nil }
    let hundredths = isNegative ? -magnitude : magnitude
    guard Markup.range.contains(hundredths) else { return nil }
    self.hundredths = hundredths
  }

  private static let longestText = "-99.99%".utf8.count + 1

  /// The shortest text that `init(_:)` reads as the same markup.
  public var description: String {
    var text: [UInt8] = hundredths < 0 ? [UInt8(ascii: "-")] : []
    DecimalText.append(UInt128(hundredths.magnitude), places: 2, least: 0, to: &text)
    text.append(UInt8(ascii: "%"))
    return String(decoding: text, as: UTF8.self)
  }

  /// The factor of a price in ten-thousandths: 12000 for 20%.
  var factor: Int64 { Markup.whole + hundredths }

  /// The least amount that is charged `nanoUnits` or more with this markup, at most `Int64.max`.
  ///
  /// Example: at 20%, 500 nano-dollars are charged 600. So 600 becomes 500.
  public func removed(from nanoUnits: Int64) -> Int64 {
    if hundredths == 0 { return nanoUnits }
    let scaled = Int128(nanoUnits) * Int128(Markup.whole)
    let (quotient, remainder) = scaled.quotientAndRemainder(dividingBy: Int128(factor))
    return Int64(clamping: remainder > 0 ? quotient + 1 : quotient)
  }
}

extension ExactAmount {
  /// The amount with a markup. The result is exact for amounts that prices and quantities make; any
  /// other amount is rounded up by less than a unit.
  public func with(_ markup: Markup) -> ExactAmount {
    if markup == .none || self == .unlimited { return self }
    let (parts, rest) = units.quotientAndRemainder(dividingBy: Int128(Markup.whole))
    let (product, overflow) = parts.multipliedReportingOverflow(by: Int128(markup.factor))
    guard !overflow else { return .unlimited }
    let ofRest = (rest * Int128(markup.factor) + Int128(Markup.whole) - 1) / Int128(Markup.whole)
    let (sum, overflows) = product.addingReportingOverflow(ofRest)
    return overflows ? .unlimited : ExactAmount(units: sum)
  }
}

extension FixedDecimal {
  /// The price with a markup, rounded up to twelve places, at most the largest price.
  public func with(_ markup: Markup) -> FixedDecimal {
    let product = Int128(scaled) * Int128(markup.factor)
    let (quotient, rest) = product.quotientAndRemainder(dividingBy: Int128(Markup.whole))
    return FixedDecimal(scaled: Int64(clamping: rest > 0 ? quotient + 1 : quotient))
  }
}
