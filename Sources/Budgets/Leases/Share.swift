/// How much of a limit is used: an exact fraction, so that 89.96 % is never shown as 90 %.
public struct Share: Comparable, Sendable, CustomStringConvertible {
  private let used: Int64
  private let limit: Int64

  /// A limit of zero is used up from the beginning.
  public init(used: Int64, limit: Int64) {
    (self.used, self.limit) = limit > 0 ? (used, limit) : (1, 1)
  }

  /// Whether at least `percent` per cent are used.
  public func reaches(percent: Int) -> Bool {
    Int128(used) * 100 >= Int128(limit) * Int128(percent)
  }

  /// Tenths of a per cent, rounded down; above 1000 where the limit is passed.
  public var permille: Int {
    Int(clamping: Int128(used) * 1000 / Int128(limit))
  }

  /// The fraction, such as `850/1000`.
  public var description: String { "\(used)/\(limit)" }

  public static func < (left: Share, right: Share) -> Bool {
    Int128(left.used) * Int128(right.limit) < Int128(right.used) * Int128(left.limit)
  }

  public static func == (left: Share, right: Share) -> Bool {
    Int128(left.used) * Int128(right.limit) == Int128(right.used) * Int128(left.limit)
  }
}
