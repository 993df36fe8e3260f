/// An exact amount of US dollars between prices and the one rounding at the end.
///
/// The unit is 1 / (3 × 10²²) dollar. A price with twelve decimals per million tokens, per minute,
/// per second, per call or per image is a multiple of 10⁴ units, so that it is a whole number of
/// them also with a `Markup` of hundredths of a percent.
///
/// Never negative. What would be more than fits is `unlimited` instead, which stays so under
/// every addition and is no `Money`: absurd quantities end in a nil at the rounding, not in a trap.
public struct ExactAmount: Hashable, Comparable, Sendable {
  public let units: Int128

  /// Units in one dollar: 3 × 10²².
  public static let unitsPerDollar: Int128 = 30_000_000_000_000_000_000_000

  public init(units: Int128) {
    precondition(units >= 0, "an amount is never negative")
    self.units = units
  }

  /// What was rounded to billionths of a dollar and recorded; zero for a record below zero.
  public init(nanoUSD: Int64) {
    self.init(units: Int128(max(nanoUSD, 0)) * (ExactAmount.unitsPerDollar / 1_000_000_000))
  }

  public static let zero = ExactAmount(units: 0)
  /// More than any amount that can be reckoned with.
  public static let unlimited = ExactAmount(units: .max)

  /// What `quantity` costs at a price for a million, a minute, a second or one.
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
  /// The amount in another currency, rounded up once, to the nano-unit of that currency.
  ///
  /// `rate` is what one dollar costs in `currency`. Nil where the result doesn't fit.
  public func roundedUp(in currency: Currency, rate: FixedDecimal) -> Money? {
    guard self != .unlimited else { return nil }
    let product = units.magnitude.multipliedFullWidth(by: UInt128(rate.scaled))
    // The quotient fits once the high half is less than the divisor.
    guard product.high < ExactAmount.unitsPerNano else { return nil }
    // Most products have no high half, and are divided ten times as fast without it.
    let (quotient, remainder) =
      product.high == 0
      ? product.low.quotientAndRemainder(dividingBy: ExactAmount.unitsPerNano)
      : ExactAmount.unitsPerNano.dividingFullWidth(product)
    guard let whole = Int64(exactly: quotient) else { return nil }
    let (nanoUnits, overflow) = whole.addingReportingOverflow(remainder == 0 ? 0 : 1)
    return overflow ? nil : Money(nanoUnits: nanoUnits, currency: currency)
  }

  /// The largest amount whose `roundedUp(in:rate:)` is at most `limit`; zero where that is
  /// negative.
  ///
  /// `rate` is what one dollar costs in the currency of `limit`; `unlimited` where every
  /// amount fits.
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

  /// How many pieces at `price` this amount pays for after `fixed`: the largest n for which
  /// `fixed + price * n` is at most this amount.
  ///
  /// Nil where `fixed` alone is more; `Int64.max` where the price is nought.
  public func quantity(at price: ExactAmount, after fixed: ExactAmount) -> Int64? {
    guard fixed <= self else { return nil }
    guard price > .zero else { return .max }
    return Int64(clamping: (units - fixed.units) / price.units)
  }

  /// The dollars as decimal text for explanations: at least nine decimals, at most eighteen, and
  /// rounded up where even those aren't exact (a third of a price per minute).
  public var decimalText: String {
    // 3 × 10⁴ units are a dollar's eighteenth decimal.
    let (whole, rest) = units.magnitude.quotientAndRemainder(dividingBy: 30_000)
    var text: [UInt8] = []
    DecimalText.append(whole + (rest == 0 ? 0 : 1), places: 18, least: Money.places, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Units × scaled rate in one nano-unit: 3 × 10²² × 10¹² / 10⁹.
  private static let unitsPerNano: UInt128 = 30_000_000_000_000_000_000_000_000
}

/// What a price is quoted for.
public enum PriceBasis: Sendable, Hashable, CaseIterable {
  /// A million tokens or characters.
  case million
  /// A minute; the quantity is counted in milliseconds.
  case minute
  /// A second; the quantity is counted in milliseconds.
  case second
  /// One call or image.
  case one

  /// What 10⁻¹² dollar for the basis makes for one of the quantity, in units of `ExactAmount`.
  var unitsPerScaledPrice: Int128 {
    switch self {
    case .million: 30_000
    case .minute: 500_000
    case .second: 30_000_000
    case .one: 30_000_000_000
    }
  }
}
