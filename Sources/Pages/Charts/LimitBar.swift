/// How full a limit is: what is used, what requests in flight hold, and what is left.
public struct LimitBar: Sendable, Hashable {
  /// How near a limit is, for colours.
  public enum Level: String, Sendable, Hashable {
    case ok, attention, critical, exceeded
  }

  /// Thousandths of the limit; together at most 1000 are drawn.
  public let used: Int
  public let held: Int
  public let level: Level
  /// What the bar says, for those who can't see it.
  public let label: String

  public init(used: Int, held: Int, level: Level, label: String) {
    self.used = used
    self.held = held
    self.level = level
    self.label = label
  }

  public var html: HTML {
    let used = min(max(self.used, 0), 1000)
    let held = min(max(self.held, 0), 1000 - used)
    return #"""
      <svg class="limit \#(level.rawValue)" viewBox="0 0 1000 10" preserveAspectRatio="none" \#
      role="img" aria-label="\#(label)"><rect class="track" width="1000" height="10"/>\#
      <rect class="used" width="\#(used)" height="10"/>\#
      <rect class="held" x="\#(used)" width="\#(held)" height="10"/></svg>
      """#
  }
}
