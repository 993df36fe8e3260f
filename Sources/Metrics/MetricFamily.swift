internal import Money

/// A metric's name, kind and help: the lines before its samples.
public struct MetricFamily: Sendable {
  public enum Kind: String, Sendable {
    case counter, gauge, histogram
  }

  public let name: StaticString
  public let kind: Kind
  /// One line that names the unit, without a backslash or a line break.
  public let help: StaticString
  /// Whether its value continues after a restart of the process. The start of its count is then
  /// unknown.
  public let outlivesProcess: Bool

  public init(
    _ name: StaticString, _ kind: Kind, _ help: StaticString, outlivesProcess: Bool = false
  ) {
    self.name = name
    self.kind = kind
    self.help = help
    self.outlivesProcess = outlivesProcess
  }
}

extension MetricFamily: Equatable {
  /// Two families are equal if their names are.
  public static func == (left: MetricFamily, right: MetricFamily) -> Bool {
    left.name.description == right.name.description
  }
}

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

/// A label's name and value. The value may be any text.
public typealias MetricLabel = (name: StaticString, value: String)

/// Writes metrics, family by family, in a format of its own.
public protocol MetricWriter {
  /// Begins a family. Its samples must follow before those of any other family.
  mutating func begin(_ family: MetricFamily)

  /// Writes a sample that is a whole number.
  mutating func sample(_ family: MetricFamily, _ labels: MetricLabel..., value: Int64)

  /// Writes a sample in units of 10⁻⁹, exactly.
  mutating func sample(_ family: MetricFamily, _ labels: MetricLabel..., nanoUnits: Int64)

  /// Writes a histogram of durations.
  mutating func histogram(_ family: MetricFamily, _ histogram: Histogram)
}
