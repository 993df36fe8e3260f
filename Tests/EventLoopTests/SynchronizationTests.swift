import EventLoop
import Glibc
import Testing

@Suite("Locks, threads, waiters, signals and the clock")
struct SynchronizationTests {
  @Test("A lock lets one thread in at a time")
  func lock() throws {
    let count = Lock(0)
    let threads = try (0..<4).map { number in
      try Thread(name: "counter-\(number)") {
        for _ in 0..<10_000 { count.withLock { $0 += 1 } }
      }
    }
    for thread in threads { thread.join() }
    #expect(count.withLock { $0 } == 40_000)
  }

  @Test("An error leaves a lock open for the next")
  func lockAfterError() {
    let lock = Lock(1)
    #expect(throws: SystemError.self) {
      try lock.withLock { _ throws(SystemError) in throw SystemError(call: "x", code: EAGAIN) }
    }
    #expect(lock.withLock { $0 } == 1)
  }

  @Test("Who waits for a monitor's value has it as soon as it is there, or nothing at the end")
  func monitor() throws {
    let monitor = Monitor(0)
    let begin = MonotonicInstant.now()
    let end = begin.advanced(by: .milliseconds(20))
    #expect(monitor.wait(until: end) { $0 > 0 ? $0 : nil } == nil)
    #expect(MonotonicInstant.now() >= end)
    let thread = try Thread(name: "giver") {
      monitor.withLock { $0 = 7 }
      monitor.signal()
    }
    let far = begin.advanced(by: .seconds(600))
    #expect(monitor.wait(until: far) { $0 > 0 ? $0 : nil } == 7)
    #expect(monitor.wait(until: begin) { $0 > 0 ? $0 : nil } == 7)
    thread.join()
  }

  @Test("Waking hands a value to the one who waits, and is lost on nobody")
  func waiter() async throws {
    try await onLoop { loop in
      let waiter = Waiter<Int>()
      #expect(!waiter.wake(1))
      nonisolated(unsafe) let shared = waiter
      let waiting = Task(executorPreference: loop) { await shared.wait() }
      await goRound(loop)
      #expect(waiter.isWaiting)
      #expect(waiter.wake(2))
      #expect(!waiter.wake(3))
      #expect(await waiting.value == 2)
    }
  }

  @Test("A signal becomes a call on the loop, whichever thread it interrupts")
  func signal() async throws {
    try await onLoop { loop in
      let received = Waiter<SignalSource.Signal>()
      let source = try SignalSource([.user1], on: loop) { received.wake($0) }
      kill(getpid(), SIGUSR1)
      #expect(await received.wait() == .user1)
      source.close()
      source.close()
    }
  }

  @Test("Instants and durations add up to the nanosecond")
  func instants() {
    let start = MonotonicInstant(nanoseconds: 5)
    let later = start.advanced(by: .seconds(3) + .nanoseconds(7))
    #expect(later.nanoseconds == 3_000_000_012)
    #expect(later.elapsed(since: start) == .nanoseconds(3_000_000_007))
    #expect(start < later)
    #expect(MonotonicInstant.now() <= MonotonicInstant.now())
  }
}
