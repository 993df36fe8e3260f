internal import CLinux
internal import Glibc

/// A timer of one event loop. It fires once after its deadline, unless the deadline is moved or the
/// timer is stopped.
///
/// Moving the deadline later and stopping cost one store. The heap is corrected only at the old
/// deadline, or when most of its timers are stopped. A connection can therefore extend its idle
/// timeout on every read.
public final class LoopTimer {
  fileprivate var deadline: MonotonicInstant?
  fileprivate var scheduled = MonotonicInstant(nanoseconds: 0)
  fileprivate var heapIndex: Int?
  fileprivate let action: () -> Void
  private unowned let loop: EventLoop

  /// Creates a timer that doesn't run yet. `action` runs on `loop`.
  public init(on loop: EventLoop, action: @escaping () -> Void) {
    self.loop = loop
    self.action = action
  }

  /// Fires after `duration` from now, in place of an earlier deadline.
  public func start(after duration: Duration) {
    loop.preconditionOnLoop()
    let target = loop.now.advanced(by: duration)
    loop.timers.schedule(self, at: target)
    deadline = target
  }

  /// Stops the timer.
  public func stop() {
    guard isRunning else { return }
    loop.preconditionOnLoop()
    deadline = nil
    loop.timers.noteStopped()
  }

  public var isRunning: Bool { deadline != nil }
}

/// A binary heap of timers, by the time at which each is examined next.
struct TimerHeap {
  private var heap: [LoopTimer] = []
  /// The number of stopped timers in the heap.
  private var stoppedCount = 0

  /// The number of stopped timers up to which they aren't removed.
  private static let tolerableStoppedCount = 64

  var count: Int { heap.count }

  /// The time at which the next timer must be examined; nil if there is none.
  var next: MonotonicInstant? { heap.first?.scheduled }

  fileprivate mutating func schedule(_ timer: LoopTimer, at instant: MonotonicInstant) {
    guard let index = timer.heapIndex else {
      timer.scheduled = instant
      timer.heapIndex = heap.count
      heap.append(timer)
      siftUp(heap.count - 1)
      return
    }
    if timer.deadline == nil { stoppedCount -= 1 }
    if instant < timer.scheduled {
      timer.scheduled = instant
      siftUp(index)
    }
  }

  /// Notes that a timer in the heap was stopped. Removes the stopped timers when they are most of
  /// the heap, at a constant cost per timer, so that timers of ended connections don't accumulate.
  fileprivate mutating func noteStopped() {
    stoppedCount += 1
    guard stoppedCount > Self.tolerableStoppedCount, stoppedCount > heap.count / 2 else { return }
    for timer in heap { timer.heapIndex = nil }
    heap.removeAll { !$0.isRunning }
    stoppedCount = 0
    for (index, timer) in heap.enumerated() { timer.heapIndex = index }
    for index in (0..<heap.count / 2).reversed() { siftDown(index) }
  }

  /// Removes and returns a timer whose deadline has passed; nil if there is none. Other timers on
  /// the way are put back.
  mutating func takeDue(at now: MonotonicInstant) -> LoopTimer? {
    while let first = heap.first, first.scheduled <= now {
      guard let deadline = first.deadline else {
        removeFirst()
        stoppedCount -= 1
        continue
      }
      if deadline > now {
        first.scheduled = deadline
        siftDown(0)
        continue
      }
      removeFirst()
      first.deadline = nil
      return first
    }
    return nil
  }

  private mutating func removeFirst() {
    let last = heap.removeLast()
    if let first = heap.first {
      first.heapIndex = nil
      heap[0] = last
      last.heapIndex = 0
      siftDown(0)
    } else {
      last.heapIndex = nil
    }
  }

  private mutating func siftUp(_ start: Int) {
    var index = start
    while index > 0 {
      let parent = (index - 1) / 2
      guard heap[index].scheduled < heap[parent].scheduled else { return }
      exchange(index, parent)
      index = parent
    }
  }

  private mutating func siftDown(_ start: Int) {
    var index = start
    while true {
      var smallest = index
      for child in (2 * index + 1)...(2 * index + 2)
      where child < heap.count && heap[child].scheduled < heap[smallest].scheduled {
        smallest = child
      }
      guard smallest != index else { return }
      exchange(index, smallest)
      index = smallest
    }
  }

  private mutating func exchange(_ first: Int, _ second: Int) {
    heap.swapAt(first, second)
    heap[first].heapIndex = first
    heap[second].heapIndex = second
  }
}

extension LoopTimer {
  func fire() {
    action()
  }
}

extension Thread {
  /// Suspends the calling thread for a duration. Must not be called on a loop. A signal may end it
  /// early.
  public static func pause(for duration: Duration) {
    precondition(EventLoop.current == nil, "a loop never pauses")
    let (seconds, attoseconds) = duration.components
    var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    unsafe nanosleep(&time, nil)
  }
}
