import EventLoop
import Testing

@testable import HTTPServer

@Suite("Deadlines of bodies and answers")
struct TransferPaceTests {
  private static let start = MonotonicInstant(nanoseconds: 5_000_000_000)

  private func pace(rate: Int = 16 << 10) -> TransferPace {
    TransferPace(from: Self.start, allowance: .seconds(60), bytesPerSecond: rate)
  }

  private func timeLeft(_ pace: TransferPace, after seconds: Int64) -> Duration {
    pace.timeLeft(at: Self.start.advanced(by: .seconds(seconds)))
  }

  /// The second in which a sender is out of time; nil if all of its body arrives before.
  ///
  /// - Parameter pause: the whole seconds between two pieces.
  private func end(ofSending piece: Int, every pause: Int64, body: Int) -> Int64? {
    var (pace, second, sent) = (pace(), Int64(0), 0)
    while sent < body {
      let left = timeLeft(pace, after: second)
      guard left > .seconds(pause) else { return second + left.components.seconds }
      second += pause
      sent += piece
      pace.note(piece)
    }
    return nil
  }

  @Test("Without a byte the allowance is all there is")
  func silence() {
    #expect(timeLeft(pace(), after: 0) == .seconds(60))
    #expect(timeLeft(pace(), after: 59) == .seconds(1))
    #expect(timeLeft(pace(), after: 60) == .zero)
    #expect(timeLeft(pace(), after: 61) == .seconds(-1))
  }

  @Test("Each second's worth of bytes gives a second, and a part of it a part")
  func extensions() {
    var pace = pace()
    pace.note(16 << 10)
    #expect(timeLeft(pace, after: 60) == .seconds(1))
    pace.note(4 << 10)
    #expect(timeLeft(pace, after: 60) == .milliseconds(1250))
  }

  @Test("A body of 64 MiB on a slow line passes, at the least rate and above")
  func honestSender() {
    #expect(end(ofSending: 16 << 10, every: 1, body: 64 << 20) == nil)
    #expect(end(ofSending: 640 << 10, every: 30, body: 64 << 20) == nil)
  }

  @Test("A sender below the least rate is out of time, however small its pieces are")
  func tricklingSender() {
    #expect(end(ofSending: 1, every: 30, body: 64 << 20) == 60)
    #expect(end(ofSending: 1, every: 1, body: 64 << 20) == 60)
    // Half of the rate has nearly twice the allowance.
    #expect(end(ofSending: 8 << 10, every: 1, body: 64 << 20) == 119)
  }

  @Test("The largest bodies and rates of the settings are counted exactly")
  func extremes() {
    var fast = pace(rate: 1 << 30)
    fast.note((1 << 30) - 1)
    #expect(timeLeft(fast, after: 60) == .nanoseconds(999_999_999))
    var slow = pace(rate: 1)
    slow.note(4 << 30)
    #expect(timeLeft(slow, after: 60) == .seconds(4 << 30))
  }
}
