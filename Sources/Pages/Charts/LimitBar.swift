/// A bar of a limit: what is used, what requests in flight hold, and what is left.
public struct LimitBar: Sendable, Hashable {
  /// How close the limit is, which sets the color.
  public enum Level: String, Sendable, Hashable {
    case ok, attention, critical, exceeded
  }

  /// Thousandths of the limit. Used and held together are drawn up to 1000.
  public let used: Int
  public let held: Int
  public let level: Level
  /// The bar's meaning in words, for screen readers.
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
