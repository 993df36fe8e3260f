internal import EventLoop

/// When the database last heard of this replica, by its own monotonic clock.
///
/// Another replica takes one for dead that the database hasn't heard of for `silenceOfTheDead`.
final class Heartbeat: Sendable {
  static let interval = Duration.seconds(1)
  static let silenceOfTheDead = Duration.seconds(10)
  /// After so long the next one should have arrived.
  private static let lateness = interval + .milliseconds(500)

  private let lastSent = Lock<MonotonicInstant?>(nil)

  /// Takes note of one that has arrived.
  func note(sentAt sent: MonotonicInstant) {
    lastSent.withLock { $0 = sent }
  }

  /// Whether the last one has arrived, and the next isn't late.
  func isFresh(at now: MonotonicInstant) -> Bool {
    lastSent.withLock { sent in sent.map { now < $0.advanced(by: Heartbeat.lateness) } ?? false }
  }
}
