internal import CLinux

/// A time of the monotonic clock (CLOCK_MONOTONIC), for timeouts and latencies.
public struct MonotonicInstant: Hashable, Comparable, Sendable {
  /// Nanoseconds since an arbitrary start, which is the same within one run of the machine.
  public let nanoseconds: Int64

  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// Reads the clock.
  public static func now() -> MonotonicInstant {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicInstant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  /// Returns the time after `duration`, limited to the first and last representable times.
  public func advanced(by duration: Duration) -> MonotonicInstant {
    let (seconds, attoseconds) = duration.components
    let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isTooLate) = nanoseconds.addingReportingOverflow(whole)
    if isTooLong || isTooLate { return MonotonicInstant(nanoseconds: seconds < 0 ? .min : .max) }
    let (exact, overflows) = sum.addingReportingOverflow(attoseconds / 1_000_000_000)
    return MonotonicInstant(nanoseconds: overflows ? .max : exact)
  }

  /// Returns the duration from `earlier` to this time.
  public func elapsed(since earlier: MonotonicInstant) -> Duration {
    .nanoseconds(nanoseconds - earlier.nanoseconds)
  }

  public static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool {
    left.nanoseconds < right.nanoseconds
  }
}
