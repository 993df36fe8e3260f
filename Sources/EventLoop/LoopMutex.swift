/// Lets one of two tasks of a loop at a time do what takes several steps.
///
/// Not a lock between threads: both tasks belong to the same loop, and what has no `await` in it
/// needs no mutex there.
public final class LoopMutex {
  private var isLocked = false
  private let waiter = Waiter<Void>()

  public init() {}

  /// Returns when nobody else has it; at most one task may wait.
  public func lock() async {
    while isLocked { await waiter.wait() }
    isLocked = true
  }

  public func unlock() {
    isLocked = false
    waiter.wake()
  }
}
