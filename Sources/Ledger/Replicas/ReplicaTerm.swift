public import EventLoop

/// For how long a replica may trust what it has leased, by its own monotonic clock.
///
/// Another replica takes one for dead that the database hasn't heard of for `silenceOfTheDead`.
/// Nobody is ever dead who still admits requests, since a term is shorter and begins earlier: when
/// the heartbeat was sent, not when it arrived.
public final class ReplicaTerm: Sendable {
  public static let heartbeatInterval = Duration.seconds(1)
  public static let length = Duration.seconds(7)
  public static let silenceOfTheDead = Duration.seconds(10)
  /// After so long the next heartbeat should have arrived.
  private static let lateness = heartbeatInterval + .milliseconds(500)

  private let end = Lock<MonotonicInstant?>(nil)

  public init() {}

  /// Takes note of a heartbeat that has arrived.
  public func extend(fromHeartbeatSentAt sent: MonotonicInstant) {
    end.withLock { $0 = max($0 ?? sent, sent.advanced(by: ReplicaTerm.length)) }
  }

  /// Whether the last heartbeat has arrived, and the next isn't late.
  public func isFresh(at now: MonotonicInstant) -> Bool {
    end.withLock { end in
      end.map { now < $0.advanced(by: ReplicaTerm.lateness - ReplicaTerm.length) } ?? false
    }
  }

  /// Ends it at once.
  public func lapse() {
    end.withLock { $0 = nil }
  }

  public func isInForce(at now: MonotonicInstant) -> Bool {
    end.withLock { $0.map { now < $0 } ?? false }
  }
}
