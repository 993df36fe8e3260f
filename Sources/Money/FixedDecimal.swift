/// A non-negative decimal with twelve places, exact: a price or an exchange rate as a file says it.
public struct FixedDecimal: Hashable, Comparable, Sendable {
  /// The value × 10¹².
  public let scaled: Int64

  /// How many decimal places `scaled` has.
  public static let places = 12

  public init(scaled: Int64) {
    precondition(scaled >= 0, "a price or rate is never negative")
    self.scaled = scaled
  }

  public static let zero = FixedDecimal(scaled: 0)
  public static let one = FixedDecimal(scaled: 1_000_000_000_000)

  public static func < (left: FixedDecimal, right: FixedDecimal) -> Bool {
    left.scaled < right.scaled
  }
}
