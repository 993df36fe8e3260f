internal import EventLoop

/// The deadline of a transfer at the peer's speed.
///
/// The peer has an allowance of time, plus one second for each `bytesPerSecond` bytes that have
/// moved. A peer at the minimum rate never misses the deadline. A timer that restarts with each
/// byte would never end a peer that sends one byte at a time.
///
/// Example: the allowance is 60 s and the rate 16 KiB a second. 64 MiB at 20 KiB a second pass
/// after 55 minutes. A peer that sends one byte every 30 s is out of time after 60 s.
struct TransferPace {
  private let beganAt: MonotonicInstant
  private let allowance: Duration
  private let bytesPerSecond: Int64
  private var bytes: Int64 = 0

  /// - Parameter bytesPerSecond: The minimum rate, at least 1.
  init(from beganAt: MonotonicInstant, allowance: Duration, bytesPerSecond: Int) {
    precondition(bytesPerSecond > 0, "a least rate is above zero")
    self.beganAt = beganAt
    self.allowance = allowance
    self.bytesPerSecond = Int64(bytesPerSecond)
  }

  /// Adds bytes that have moved. Their sum must stay within the memory of a process.
  mutating func note(_ count: Int) {
    bytes += Int64(count)
  }

  /// Returns the time until the deadline, as extended by the bytes so far; zero or less after it.
  func timeLeft(at now: MonotonicInstant) -> Duration {
    let (seconds, rest) = bytes.quotientAndRemainder(dividingBy: bytesPerSecond)
    // The rest is below the rate, which the settings limit to 2³⁰, so the product fits.
    let extra = Duration.seconds(seconds) + .nanoseconds(rest * 1_000_000_000 / bytesPerSecond)
    return allowance + extra - now.elapsed(since: beganAt)
  }
}
