internal import Metrics

/// What the manual says of a metric, from the catalog that also names its samples.
public struct MetricReference: Hashable, Sendable {
  /// Such as `catraca_requests_total`.
  public let name: String
  /// `counter`, `gauge` or `histogram`.
  public let kind: String
  /// The names of its labels, with commas between them; empty if it has none.
  public let labels: String
  public let meaning: String

  /// Every metric, in the order of the documentation.
  public static let all: [MetricReference] = MetricCatalog.all.map { family, labels in
    MetricReference(
      name: "\(family.name)", kind: family.kind.rawValue, labels: labels, meaning: "\(family.help)")
  }
}
