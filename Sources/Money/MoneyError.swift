/// Why a text or a set of rates isn't an amount that can be reckoned with.
public enum MoneyError: Error, Hashable, Sendable {
  /// Not digits, or digits, a point and digits: no sign, no exponent, no spaces.
  case malformedDecimal
  /// More decimals than can be kept exactly.
  case tooManyDecimals(allowed: Int)
  /// More than fits.
  case tooLarge
  /// A rate of nought, or one other than 1 for the US dollar.
  case invalidRate(Currency)
  /// No rate is given for a currency that needs one.
  case missingRate(Currency)
}
