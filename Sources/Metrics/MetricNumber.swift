internal import Money

/// Texts of numbers in metrics, made from integers.
public enum MetricNumber {
  /// The number with all nine decimals: `0.000123000`.
  public static func decimal(nanoUnits: Int64) -> String {
    Money(nanoUnits: nanoUnits, currency: .usd).decimalText
  }

  /// The shortest text of the seconds, with at least one decimal: `0.0005` for 500 microseconds.
  public static func seconds(microseconds: Int64) -> String {
    let (whole, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    var decimals = String(1_000_000 + rest).dropFirst()
    while decimals.count > 1, decimals.last == "0" { decimals.removeLast() }
    return "\(whole).\(decimals)"
  }
}
