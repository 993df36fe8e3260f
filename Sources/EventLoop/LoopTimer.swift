/// A timer of one event loop: fires once when its deadline has passed, unless moved or stopped.
///
/// Moving the deadline later costs one store: the heap is only corrected when the old deadline
/// comes. So a connection can push its idle timeout on every read.
public final class LoopTimer {
  fileprivate var deadline: MonotonicInstant?
  fileprivate var scheduled = MonotonicInstant(nanoseconds: 0)
  fileprivate var heapIndex: Int?
  fileprivate let action: () -> Void
  private unowned let loop: EventLoop

  /// A timer that doesn't run yet. `action` runs on `loop`.
  public init(on loop: EventLoop, action: @escaping () -> Void) {
    self.loop = loop
    self.action = action
  }

  /// Fires after `duration` from now, in place of an earlier deadline.
  public func start(after duration: Duration) {
    loop.preconditionOnLoop()
    let target = loop.now.advanced(by: duration)
    deadline = target
    loop.timers.schedule(self, at: target)
  }

  /// The timer no longer fires.
  public func stop() {
    deadline = nil
  }

  public var isRunning: Bool { deadline != nil }
}

/// A binary heap of timers by the instant at which each is looked at next.
struct TimerHeap {
  private var heap: [LoopTimer] = []

  /// When the next timer has to be looked at.
  var next: MonotonicInstant? { heap.first?.scheduled }

  fileprivate mutating func schedule(_ timer: LoopTimer, at instant: MonotonicInstant) {
    guard let index = timer.heapIndex else {
      timer.scheduled = instant
      timer.heapIndex = heap.count
      heap.append(timer)
      siftUp(heap.count - 1)
      return
    }
    if instant < timer.scheduled {
      timer.scheduled = instant
      siftUp(index)
    }
  }

  /// Takes the timers whose deadline has passed; the others found on the way are put back.
  mutating func takeDue(at now: MonotonicInstant) -> LoopTimer? {
    while let first = heap.first, first.scheduled <= now {
      guard let deadline = first.deadline else {
        removeFirst()
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
