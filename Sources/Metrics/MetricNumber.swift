internal import Money

/// Numbers as metrics show them, made from integers.
public enum MetricNumber {
  /// All nine decimals: `0.000123000`.
  public static func decimal(nanoUnits: Int64) -> String {
    Money(nanoUnits: nanoUnits, currency: .usd).decimalText
  }

  /// `0.0005` of 500 microseconds: the shortest text, always with a decimal.
  public static func seconds(microseconds: Int64) -> String {
    let (whole, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    var decimals = String(1_000_000 + rest).dropFirst()
    while decimals.count > 1, decimals.last == "0" { decimals.removeLast() }
    return "\(whole).\(decimals)"
  }
}
