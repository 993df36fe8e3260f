/// What a metric is: the lines that precede its samples.
public struct MetricFamily: Sendable {
  public enum Kind: String, Sendable {
    case counter, gauge, histogram
  }

  public let name: StaticString
  public let kind: Kind
  /// One line, with its unit; neither a backslash nor a line break is in it.
  public let help: StaticString
  /// Whether it goes on after a restart where it was, so that nobody knows since when it counts.
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
  /// A family is known by its name.
  public static func == (left: MetricFamily, right: MetricFamily) -> Bool {
    left.name.description == right.name.description
  }
}
