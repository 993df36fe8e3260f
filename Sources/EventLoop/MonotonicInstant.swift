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

  public func advanced(by duration: Duration) -> MonotonicInstant {
    let (seconds, attoseconds) = duration.components
    return MonotonicInstant(
      nanoseconds: nanoseconds + seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
  }

  /// How long after `earlier` this instant lies.
  public func elapsed(since earlier: MonotonicInstant) -> Duration {
    .nanoseconds(nanoseconds - earlier.nanoseconds)
  }

  public static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool {
    left.nanoseconds < right.nanoseconds
  }
}
