/// The number of observations within each of several fixed bounds, and their sum, all in
/// microseconds.
///
/// It is a value: its owner records into it, and a copy is a snapshot. For example, with the bounds
/// 100 and 1000, the observations 50, 100 and 2000 give the counts 2, 0 and 1.
public struct Histogram: Hashable, Sendable {
  /// The largest observation of each bucket, ascending. A last bucket without a bound follows.
  public let bounds: [Int64]
  /// The number of observations in each bucket: one more bucket than there are bounds.
  public private(set) var counts: [Int64]
  /// The sum of all observations, at most `Int64.max`.
  public private(set) var sum: Int64 = 0

  /// - Parameter bounds: ascending, in microseconds.
  public init(bounds: [Int64]) {
    precondition(zip(bounds, bounds.dropFirst()).allSatisfy(<), "bounds ascend")
    self.bounds = bounds
    counts = Array(repeating: 0, count: bounds.count + 1)
  }

  /// Counts one observation. A negative one comes from a clock that was set back, and counts as
  /// zero.
  public mutating func observe(_ microseconds: Int64) {
    let value = max(0, microseconds)
    counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
    let (total, overflows) = sum.addingReportingOverflow(value)
    sum = overflows ? .max : total
  }

  /// For each bound, the number of observations at or below it; then the number of all
  /// observations.
  public var cumulativeCounts: [Int64] {
    var total: Int64 = 0
    return counts.map { count in
      total += count
      return total
    }
  }

  public var count: Int64 { counts.reduce(0, +) }
}
