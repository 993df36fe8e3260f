/// How many observations lay within each of fixed bounds, and their sum: all in microseconds.
///
/// A value: whoever records into one owns it, and a copy is a snapshot.
public struct Histogram: Hashable, Sendable {
  /// The largest observation of each bucket, ascending; a last one without a bound follows.
  public let bounds: [Int64]
  /// How many observations each bucket has; one more than there are bounds.
  public private(set) var counts: [Int64]
  /// Of all observations; stops at the largest integer.
  public private(set) var sum: Int64 = 0

  /// - Parameter bounds: ascending, in microseconds.
  public init(bounds: [Int64]) {
    precondition(zip(bounds, bounds.dropFirst()).allSatisfy(<), "bounds ascend")
    self.bounds = bounds
    counts = Array(repeating: 0, count: bounds.count + 1)
  }

  /// Counts one observation; a negative one, of a clock that was wrong, as zero.
  public mutating func observe(_ microseconds: Int64) {
    let value = max(0, microseconds)
    counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
    let (total, overflows) = sum.addingReportingOverflow(value)
    sum = overflows ? .max : total
  }

  /// For each bound, and then for none, how many observations were at most that.
  public var cumulativeCounts: [Int64] {
    var total: Int64 = 0
    return counts.map { count in
      total += count
      return total
    }
  }

  public var count: Int64 { counts.reduce(0, +) }
}
