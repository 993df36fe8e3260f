/// An instant in UTC, in whole milliseconds since 1970-01-01T00:00:00Z.
///
/// The ledger's `created_at` and every window of a budget are given in it. Durations are
/// `Swift.Duration`.
public struct Timestamp: Hashable, Comparable, Sendable {
  /// Milliseconds since 1970, negative before.
  public let milliseconds: Int64

  public init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.milliseconds < right.milliseconds
  }

  /// The instant that lies `duration` after this one; a part below a millisecond is dropped.
  public func advanced(by duration: Duration) -> Timestamp {
    let (seconds, attoseconds) = duration.components
    return Timestamp(
      milliseconds: milliseconds + seconds * 1000 + attoseconds / 1_000_000_000_000_000)
  }

  /// How long after `other` this instant lies.
  public func elapsed(since other: Timestamp) -> Duration {
    .milliseconds(milliseconds - other.milliseconds)
  }
}
