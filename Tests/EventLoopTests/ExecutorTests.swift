import EventLoop
import Testing

@Suite("An event loop as an executor")
struct ExecutorTests {
  @Test("A task never leaves its loop, whatever it awaits")
  func pinned() async throws {
    let group = try EventLoopGroup(count: 2)
    defer { group.stop() }
    let (home, other) = (group.loops[0], group.loops[1])
    await Task(executorPreference: home) {
      for _ in 0..<100 {
        #expect(home.isCurrent && !other.isCurrent)
        await Task(executorPreference: other) { #expect(other.isCurrent && !home.isCurrent) }.value
        await Task.yield()
        home.preconditionOnLoop()
      }
    }.value
    #expect(!home.isCurrent)
  }

  @Test("Jobs of many threads all run, one at a time")
  func inbox() async throws {
    final class Counter {
      var value = 0
    }
    let group = try EventLoopGroup(count: 1)
    defer { group.stop() }
    let loop = group.loops[0]
    nonisolated(unsafe) let counter = Counter()
    await withTaskGroup { tasks in
      for _ in 0..<10_000 {
        tasks.addTask(executorPreference: loop) { counter.value += 1 }
      }
    }
    await Task(executorPreference: loop) { #expect(counter.value == 10_000) }.value
  }

  @Test("A task that always has something to do doesn't keep timers and descriptors waiting")
  func fairness() async throws {
    try await onLoop { loop in
      let isDone = Lock(false)
      let busy = Task(executorPreference: loop) {
        while !isDone.withLock({ $0 }) { await Task.yield() }
      }
      await goRound(loop)
      let (mine, peer) = socketPair()
      let probe = ReadinessProbe(mine, .readable, on: loop)
      writeByte(to: peer)
      await probe.waitForCall()
      isDone.withLock { $0 = true }
      await busy.value
      probe.close()
      closeDescriptor(peer)
    }
  }

  @Test("What is done once waits for what is ready already, but not for ever")
  func gathering() async throws {
    final class Note {
      var calls: Int?
    }
    try await onLoop { loop in
      let (mine, peer) = socketPair()
      // Nobody reads: it is ready in every turn.
      let probe = ReadinessProbe(mine, .readable, on: loop)
      writeByte(to: peer)
      await probe.waitForCall()
      let (before, note) = (probe.calls.count, Note())
      loop.atEndOfTurn { note.calls = probe.calls.count }
      while note.calls == nil { await loop.sleep(for: .zero) }
      #expect((1...8).contains((note.calls ?? 0) - before))
      probe.close()
      closeDescriptor(peer)

      let quiet = Note()
      loop.atEndOfTurn { quiet.calls = 0 }
      await goRound(loop)
      #expect(quiet.calls == 0)
    }
  }

  @Test("Stopping a group waits for its threads")
  func stop() async throws {
    let group = try EventLoopGroup(count: 3)
    group.stop()
    group.stop()
    #expect(try EventLoopGroup(count: 0).loops.count == 1)
  }
}
