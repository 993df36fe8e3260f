import Testing

@testable import EventLoop

@Suite("Timers")
struct LoopTimerTests {
  @Test("Timers fire in the order of their deadlines")
  func order() async throws {
    try await onLoop { loop in
      let last = Waiter<Void>()
      var fired: [Int] = []
      for milliseconds in [3, 1, 4, 2, 0] {
        LoopTimer(on: loop) {
          fired.append(milliseconds)
          if milliseconds == 4 { last.wake() }
        }.start(after: .milliseconds(milliseconds))
      }
      await last.wait()
      #expect(fired == [0, 1, 2, 3, 4])
    }
  }

  @Test("However long a time is, the instant after it is one that there is")
  func farthest() {
    let now = MonotonicInstant(nanoseconds: 5)
    #expect(now.advanced(by: .milliseconds(1)).nanoseconds == 1_000_005)
    for duration in [Duration.seconds(Int64.max), .seconds(9_223_372_036) + .seconds(1)] {
      #expect(now.advanced(by: duration).nanoseconds == .max)
      #expect(MonotonicInstant(nanoseconds: -5).advanced(by: .zero - duration).nanoseconds == .min)
    }
  }

  @Test("A timer fires once, at its last deadline, and not before it")
  func moved() async throws {
    try await onLoop { loop in
      let fired = Waiter<Void>()
      var instants: [MonotonicInstant] = []
      let timer = LoopTimer(on: loop) {
        instants.append(loop.now)
        fired.wake()
      }
      let start = loop.now
      timer.start(after: .milliseconds(1))
      timer.start(after: .seconds(9))
      timer.start(after: .milliseconds(4))
      #expect(timer.isRunning)
      await fired.wait()
      #expect(!timer.isRunning)
      await goRound(loop)
      #expect(instants.count == 1)
      #expect(instants.allSatisfy { $0.elapsed(since: start) >= .milliseconds(4) })
    }
  }

  @Test("A stopped timer doesn't fire, and can be started again")
  func stopped() async throws {
    try await onLoop { loop in
      var count = 0
      let timer = LoopTimer(on: loop) { count += 1 }
      timer.start(after: .zero)
      timer.stop()
      timer.stop()
      await goRound(loop)
      #expect(count == 0)
      timer.start(after: .zero)
      await goRound(loop)
      #expect(count == 1)
    }
  }

  @Test("A timer that starts itself again without a delay doesn't stop the loop")
  func restartedAtOnce() async throws {
    final class Restarter {
      var count = 0
      var timer: LoopTimer?
    }
    try await onLoop { loop in
      let restarter = Restarter()
      restarter.timer = LoopTimer(on: loop) { [unowned restarter] in
        restarter.count += 1
        restarter.timer?.start(after: .zero)
      }
      restarter.timer?.start(after: .zero)
      await goRound(loop)
      #expect(restarter.count > 0)
      restarter.timer?.stop()
    }
  }

  @Test("Timers that were stopped don't pile up until their deadlines")
  func sweep() async throws {
    try await onLoop { loop in
      var count = 0
      let kept = (0..<100).map { _ in LoopTimer(on: loop) { count += 1 } }
      for timer in kept { timer.start(after: .zero) }
      for _ in 0..<10_000 {
        let timer = LoopTimer(on: loop) {}
        timer.start(after: .seconds(600))
        timer.stop()
      }
      #expect(loop.timers.count < 300)
      await goRound(loop)
      #expect(count == 100)
    }
  }

  @Test("Whatever is started, moved and stopped, those due come out in order", arguments: 0..<20)
  func model(seed: UInt64) async throws {
    try await onLoop { loop in
      var random = SplitMix(state: seed)
      let timers = (0..<300).map { _ in LoopTimer(on: loop) {} }
      var deadlines: [Int: Int64] = [:]
      for _ in 0..<3_000 {
        let index = Int.random(in: 0..<300, using: &random)
        if Int.random(in: 0..<3, using: &random) > 0 {
          timers[index].stop()
          deadlines[index] = nil
        } else {
          let seconds = Int64.random(in: 100..<200, using: &random)
          timers[index].start(after: .seconds(seconds))
          deadlines[index] = seconds
        }
      }
      let start = loop.now
      for second in stride(from: Int64(100), through: 205, by: 7) {
        let now = start.advanced(by: .seconds(second))
        var due: Set<Int> = []
        while let timer = loop.timers.takeDue(at: now) {
          due.insert(timers.firstIndex { $0 === timer }!)
        }
        let expected = deadlines.filter { $0.value <= second }
        #expect(due == Set(expected.keys))
        for index in due { deadlines[index] = nil }
      }
      #expect(deadlines.isEmpty)
      #expect(loop.timers.count == 0)
    }
  }
}

/// A generator of random numbers that can be repeated.
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
