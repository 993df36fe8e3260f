import EventLoop
import Testing

@testable import Ledger

@Suite("The worker of an outbox") struct OutboxWorkerTests {
  @Test("It attempts four items at once, each of them once, and begins with the first")
  func limit() async {
    let worker = TestWorker(items: 1...10)
    async let end: Void = worker.run()
    #expect(await worker.begun(4) == [1, 2, 3, 4])
    await worker.end(2, isDone: true)
    #expect(await worker.begun(5) == [1, 2, 3, 4, 5])
    for item in [1, 3, 4, 5] { await worker.end(item, isDone: true) }
    #expect(await worker.begun(9) == [1, 2, 3, 4, 5, 6, 7, 8, 9])
    #expect(await worker.done.sorted() == [1, 2, 3, 4, 5])
    await worker.stop()
    await end
  }

  @Test("An item that another server has claimed is passed over")
  func claimed() async {
    let worker = TestWorker(items: 1...6, claimedByOthers: [1, 3])
    async let end: Void = worker.run()
    #expect(await worker.begun(4) == [2, 4, 5, 6])
    await worker.stop()
    await end
  }

  @Test("After a stop, an attempt that failed isn't noted, and one that succeeded is")
  func stopping() async {
    let worker = TestWorker(items: 1...2, doneWhenCanceled: [2])
    async let end: Void = worker.run()
    #expect(await worker.begun(2) == [1, 2])
    await worker.stop()
    await end
    #expect(await worker.done == [2])
    #expect(await worker.failed == [])
  }
}

/// Attempts numbers, each until the test ends it.
private actor TestWorker: OutboxWorker {
  struct Item: Identifiable, Sendable {
    let id: Int
  }

  nonisolated let bell = WorkBell()
  var attempts = OngoingAttempts<Int>()
  private(set) var done: [Int] = []
  private(set) var failed: [Int] = []
  private var waiting: [Item]
  private var order: [Int] = []
  private var running: [Int: CheckedContinuation<Bool, Never>] = [:]
  private var watcher: (count: Int, continuation: CheckedContinuation<Void, Never>)?
  private let claimedByOthers: Set<Int>
  private let doneWhenCanceled: Set<Int>

  init(
    items: ClosedRange<Int>, claimedByOthers: Set<Int> = [], doneWhenCanceled: Set<Int> = []
  ) {
    waiting = items.map { Item(id: $0) }
    self.claimedByOthers = claimedByOthers
    self.doneWhenCanceled = doneWhenCanceled
  }

  nonisolated func ring() { bell.ring() }

  func startDue() throws(LedgerError) -> Duration? {
    try start(waiting)
    return nil
  }

  func claim(_ item: Item) -> Bool { !claimedByOthers.contains(item.id) }

  func attempt(_ item: Item) async -> Bool {
    await withCheckedContinuation { continuation in
      running[item.id] = continuation
      order.append(item.id)
      if let watcher, order.count >= watcher.count {
        self.watcher = nil
        watcher.continuation.resume()
      }
    }
  }

  func mayBeCanceled(_ isDone: Bool) -> Bool { !isDone }

  func note(_ isDone: Bool, of item: Item) {
    if isDone { done.append(item.id) } else { failed.append(item.id) }
    waiting.removeAll { $0.id == item.id }
  }

  nonisolated func logUnavailable(_ error: LedgerError) {
    Issue.record("the ledger is there: \(error)")
  }

  func cancelAttempts() {
    for id in running.keys.sorted() { end(id, isDone: doneWhenCanceled.contains(id)) }
  }

  func end(_ item: Int, isDone: Bool) {
    running.removeValue(forKey: item)?.resume(returning: isDone)
  }

  /// Returns the items whose attempts have begun, ascending, once there are `count` of them.
  func begun(_ count: Int) async -> [Int] {
    if order.count < count {
      await withCheckedContinuation { watcher = (count, $0) }
    }
    return order.sorted()
  }
}
