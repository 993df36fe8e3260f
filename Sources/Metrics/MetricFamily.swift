/// What a metric is: the lines that precede its samples.
public struct MetricFamily: Sendable {
  public enum Kind: String, Sendable {
    case counter, gauge, histogram
  }

  public let name: StaticString
  public let kind: Kind
  /// One line, with its unit; neither a backslash nor a line break is in it.
  public let help: StaticString

  public init(_ name: StaticString, _ kind: Kind, _ help: StaticString) {
    self.name = name
    self.kind = kind
    self.help = help
  }
}
