internal import CLinux

/// A point on the clock that never jumps (CLOCK_MONOTONIC): for timeouts and latencies.
public struct MonotonicInstant: Hashable, Comparable, Sendable {
  /// Nanoseconds since an arbitrary start, the same within one run of the machine.
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

  /// The instant so much later; the last or first that there is where it would be beyond.
  public func advanced(by duration: Duration) -> MonotonicInstant {
    let (seconds, attoseconds) = duration.components
    let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isTooLate) = nanoseconds.addingReportingOverflow(whole)
    if isTooLong || isTooLate { return MonotonicInstant(nanoseconds: seconds < 0 ? .min : .max) }
    let (exact, overflows) = sum.addingReportingOverflow(attoseconds / 1_000_000_000)
    return MonotonicInstant(nanoseconds: overflows ? .max : exact)
  }

  /// How long after `earlier` this instant lies.
  public func elapsed(since earlier: MonotonicInstant) -> Duration {
    .nanoseconds(nanoseconds - earlier.nanoseconds)
  }

  public static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool {
    left.nanoseconds < right.nanoseconds
  }
}
