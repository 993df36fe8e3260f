internal import EventLoop

/// The time of the last heartbeat that reached the database, by this replica's monotonic clock.
///
/// If the database hasn't received a replica's heartbeat for `silenceOfTheDead`, other replicas
/// declare it dead.
final class Heartbeat: Sendable {
  static let interval = Duration.seconds(1)
  static let silenceOfTheDead = Duration.seconds(10)
  /// The time after which the next heartbeat is late.
  private static let lateness = interval + .milliseconds(500)

  private let lastSent = Lock<MonotonicInstant?>(nil)

  /// Notes a heartbeat that has reached the database.
  func note(sentAt sent: MonotonicInstant) {
    lastSent.withLock { $0 = sent }
  }

  /// Whether the last heartbeat has arrived, and the next one isn't late.
  func isFresh(at now: MonotonicInstant) -> Bool {
    lastSent.withLock { sent in sent.map { now < $0.advanced(by: Heartbeat.lateness) } ?? false }
  }
}
