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
