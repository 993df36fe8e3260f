internal import Glibc

/// An instant in UTC, in whole milliseconds since 1970-01-01T00:00:00Z.
///
/// The ledger's `created_at` and every window of a budget use it. Durations are `Swift.Duration`.
public struct Timestamp: Hashable, Comparable, Sendable {
  /// Milliseconds since 1970, negative before.
  public let milliseconds: Int64

  public init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// The instant that the system's real-time clock shows now. No other code reads that clock.
  ///
  /// Pure code takes an instant as a parameter instead.
  public static func readSystemClock() -> Timestamp {
    var time = timespec()
    let status = unsafe clock_gettime(CLOCK_REALTIME, &time)
    precondition(status == 0, "every Linux has a real-time clock")
    return Timestamp(
      milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }

  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.milliseconds < right.milliseconds
  }

  /// The instant `duration` after this one. A part below a millisecond is dropped. If a `Timestamp`
  /// can't hold the result, the nearest one that it can hold.
  public func advanced(by duration: Duration) -> Timestamp {
    let (seconds, attoseconds) = duration.components
    let exact =
      Int128(milliseconds) + Int128(seconds) * 1000
      + Int128(attoseconds / 1_000_000_000_000_000)
    return Timestamp(milliseconds: Int64(clamping: exact))
  }

  /// The duration from `other` to this instant; negative if `other` is later.
  public func elapsed(since other: Timestamp) -> Duration {
    .milliseconds(milliseconds) - .milliseconds(other.milliseconds)
  }
}
