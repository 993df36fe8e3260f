/// The used part of a limit as an exact fraction, so that 89.96 % is never shown as 90 %.
public struct Share: Comparable, Sendable, CustomStringConvertible {
  private let used: Int64
  private let limit: Int64

  /// Creates a share. A limit of zero counts as fully used.
  public init(used: Int64, limit: Int64) {
    (self.used, self.limit) = limit > 0 ? (used, limit) : (1, 1)
  }

  /// Whether at least `percent` percent are used.
  public func reaches(percent: Int) -> Bool {
    Int128(used) * 100 >= Int128(limit) * Int128(percent)
  }

  /// Tenths of a percent, rounded down; above 1000 if the limit is passed.
  public var permille: Int {
    Int(clamping: Int128(used) * 1000 / Int128(limit))
  }

  /// The fraction as text: `850/1000`.
  public var description: String { "\(used)/\(limit)" }

  public static func < (left: Share, right: Share) -> Bool {
    Int128(left.used) * Int128(right.limit) < Int128(right.used) * Int128(left.limit)
  }

  public static func == (left: Share, right: Share) -> Bool {
    Int128(left.used) * Int128(right.limit) == Int128(right.used) * Int128(left.limit)
  }
}
