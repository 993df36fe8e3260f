internal import EventLoop

/// The deadline of bytes that move at their peer's speed.
///
/// The peer has an allowance of time, and one second more for each `bytesPerSecond` bytes that
/// have moved. A peer that keeps to the least rate never meets the deadline. A timer that each
/// byte restarts would never end a peer that sends one byte at a time.
///
/// Example: with an allowance of 60 s and 16 KiB a second, 64 MiB at 20 KiB a second pass after
/// 55 minutes, and a peer that sends one byte every 30 s is out of time after 60 s.
struct TransferPace {
  private let beganAt: MonotonicInstant
  private let allowance: Duration
  private let bytesPerSecond: Int64
  private var bytes: Int64 = 0

  /// - Parameter bytesPerSecond: the least rate, at least 1.
  init(from beganAt: MonotonicInstant, allowance: Duration, bytesPerSecond: Int) {
    precondition(bytesPerSecond > 0, "a least rate is above zero")
    self.beganAt = beganAt
    self.allowance = allowance
    self.bytesPerSecond = Int64(bytesPerSecond)
  }

  /// Adds bytes that have moved; at most so many as one process can hold.
  mutating func note(_ count: Int) {
    bytes += Int64(count)
  }

  /// The time until the deadline, as far as the bytes so far extend it; zero or less after it.
  func timeLeft(at now: MonotonicInstant) -> Duration {
    let (seconds, rest) = bytes.quotientAndRemainder(dividingBy: bytesPerSecond)
    // The rest is below the rate, which the settings bound at 2³⁰, so the product fits.
    let extra = Duration.seconds(seconds) + .nanoseconds(rest * 1_000_000_000 / bytesPerSecond)
    return allowance + extra - now.elapsed(since: beganAt)
  }
}
