/// An exact amount of US dollars, from the prices to the one rounding at the end.
///
/// The unit is 1 / (3 × 10²²) dollar. A price with twelve decimals per million tokens, per minute,
/// per second, per call or per image is a multiple of 10⁴ units. So it stays a whole number of
/// units after a `Markup` of hundredths of a percent.
///
/// An amount is never negative. If a result doesn't fit, it is `unlimited`, stays so under every
/// addition, and rounds to nil: an absurd quantity ends in a nil, not in a trap.
public struct ExactAmount: Hashable, Comparable, Sendable {
  public let units: Int128

  /// Units in one dollar: 3 × 10²².
  public static let unitsPerDollar: Int128 = 30_000_000_000_000_000_000_000

  public init(units: Int128) {
    precondition(units >= 0, "an amount is never negative")
    self.units = units
  }

  /// An amount that was rounded to billionths of a dollar and recorded; zero if the record is
  /// negative.
  public init(nanoUSD: Int64) {
    self.init(units: Int128(max(nanoUSD, 0)) * (ExactAmount.unitsPerDollar / 1_000_000_000))
  }

  public static let zero = ExactAmount(units: 0)
  /// More than any amount that fits.
  public static let unlimited = ExactAmount(units: .max)

  /// The price of `quantity`, in the unit of `basis`: at 0.75 for a million tokens, 2,000 tokens
  /// are 0.0015 dollar.
  public init(price: FixedDecimal, per basis: PriceBasis, quantity: Int64) {
    let one = ExactAmount(units: Int128(price.scaled) * basis.unitsPerScaledPrice)
    self = one * quantity
  }

  public static func < (left: ExactAmount, right: ExactAmount) -> Bool {
    left.units < right.units
  }

  public static func + (left: ExactAmount, right: ExactAmount) -> ExactAmount {
    let (sum, overflow) = left.units.addingReportingOverflow(right.units)
    return overflow ? .unlimited : ExactAmount(units: sum)
  }

  public static func += (left: inout ExactAmount, right: ExactAmount) {
    left = left + right
  }

  public static func * (amount: ExactAmount, quantity: Int64) -> ExactAmount {
    precondition(quantity >= 0, "a quantity is never negative")
    let (product, overflow) = amount.units.multipliedReportingOverflow(by: Int128(quantity))
    return overflow ? .unlimited : ExactAmount(units: product)
  }
}

extension ExactAmount {
  /// The amount in another currency, rounded up once to that currency's nano-unit.
  ///
  /// `rate` is the price of one dollar in `currency`. Nil if the result doesn't fit.
  public func roundedUp(in currency: Currency, rate: FixedDecimal) -> Money? {
    guard self != .unlimited else { return nil }
    let product = units.magnitude.multipliedFullWidth(by: UInt128(rate.scaled))
    // The quotient fits if the high half is less than the divisor.
    guard product.high < ExactAmount.unitsPerNano else { return nil }
    // Most products have no high half. Without it the division is ten times as fast.
    let (quotient, remainder) =
      product.high == 0
      ? product.low.quotientAndRemainder(dividingBy: ExactAmount.unitsPerNano)
      : ExactAmount.unitsPerNano.dividingFullWidth(product)
    guard let whole = Int64(exactly: quotient) else { return nil }
    let (nanoUnits, overflow) = whole.addingReportingOverflow(remainder == 0 ? 0 : 1)
    return overflow ? nil : Money(nanoUnits: nanoUnits, currency: currency)
  }

  /// The largest amount whose `roundedUp(in:rate:)` is at most `limit`; zero if `limit` is
  /// negative, `unlimited` if every amount fits.
  ///
  /// `rate` is the price of one dollar in the currency of `limit`.
  public init(within limit: Money, rate: FixedDecimal) {
    let nanoUnits = UInt128(max(limit.nanoUnits, 0))
    let product = nanoUnits.multipliedFullWidth(by: ExactAmount.unitsPerNano)
    let divisor = UInt128(rate.scaled)
    guard product.high < divisor else {
      self = .unlimited
      return
    }
    let quotient = divisor.dividingFullWidth(product).quotient
    self.init(units: Int128(clamping: quotient))
  }

  /// The number of pieces at `price` that this amount pays after `fixed`: the largest n for which
  /// `fixed + price * n` is at most this amount. For example, 10 dollars pay 4 pieces at 2 dollars
  /// after a fixed 1 dollar.
  ///
  /// Nil if `fixed` alone is more than this amount; `Int64.max` if the price is zero.
  public func quantity(at price: ExactAmount, after fixed: ExactAmount) -> Int64? {
    guard fixed <= self else { return nil }
    guard price > .zero else { return .max }
    return Int64(clamping: (units - fixed.units) / price.units)
  }

  /// The dollars as decimal text for explanations, with 9 to 18 decimals. It is rounded up if 18
  /// decimals aren't exact, for example after a third of a price per minute.
  public var decimalText: String {
    // A dollar's eighteenth decimal is 3 × 10⁴ units.
    let (whole, rest) = units.magnitude.quotientAndRemainder(dividingBy: 30_000)
    var text: [UInt8] = []
    DecimalText.append(whole + (rest == 0 ? 0 : 1), places: 18, least: Money.places, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// The divisor for units × scaled rate in nano-units: 3 × 10²² × 10¹² / 10⁹.
  private static let unitsPerNano: UInt128 = 30_000_000_000_000_000_000_000_000
}

/// The quantity that a price is quoted for.
public enum PriceBasis: Sendable, Hashable, CaseIterable {
  /// A million tokens or characters.
  case million
  /// A minute; the quantity is counted in milliseconds.
  case minute
  /// A second; the quantity is counted in milliseconds.
  case second
  /// One call or image.
  case one

  /// The units of `ExactAmount` in 10⁻¹² dollar per basis, for a quantity of one.
  var unitsPerScaledPrice: Int128 {
    switch self {
    case .million: 30_000
    case .minute: 500_000
    case .second: 30_000_000
    case .one: 30_000_000_000
    }
  }
}
