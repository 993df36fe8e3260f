/// An exact amount of US dollars between prices and the one rounding at the end.
///
/// The unit is 1 / (3 × 10¹⁸) dollar, the largest in which a price with twelve decimals per
/// million tokens, per minute, per second, per call or per image is a whole number.
public struct ExactAmount: Hashable, Comparable, Sendable {
  public let units: Int128

  /// Units in one dollar: 3 × 10¹⁸.
  public static let unitsPerDollar: Int128 = 3_000_000_000_000_000_000

  public init(units: Int128) {
    self.units = units
  }

  public static let zero = ExactAmount(units: 0)

  public static func < (left: ExactAmount, right: ExactAmount) -> Bool {
    left.units < right.units
  }

  public static func + (left: ExactAmount, right: ExactAmount) -> ExactAmount {
    ExactAmount(units: left.units + right.units)
  }

  public static func += (left: inout ExactAmount, right: ExactAmount) {
    left = left + right
  }
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
}
