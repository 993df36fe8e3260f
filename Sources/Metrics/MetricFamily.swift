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
