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
