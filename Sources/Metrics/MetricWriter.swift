/// A label's name and value; any text may be a value.
public typealias MetricLabel = (name: StaticString, value: String)

/// Takes metrics family by family, and writes them in some format.
public protocol MetricWriter {
  /// Begins a family: its samples must follow, before those of any other.
  mutating func begin(_ family: MetricFamily)

  /// Writes a sample that is a whole number.
  mutating func sample(_ family: MetricFamily, _ labels: MetricLabel..., value: Int64)

  /// Writes a sample in units of 10⁻⁹, exact.
  mutating func sample(_ family: MetricFamily, _ labels: MetricLabel..., nanoUnits: Int64)

  /// Writes a histogram of durations.
  mutating func histogram(_ family: MetricFamily, _ histogram: Histogram)
}
