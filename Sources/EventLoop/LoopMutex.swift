/// Serializes operations of several steps between two tasks of a loop.
///
/// It is no lock between threads: both tasks belong to the same loop, on which code without an
/// `await` needs no mutex.
public final class LoopMutex {
  private var isLocked = false
  private let waiter = Waiter<Void>()

  public init() {}

  /// Waits until the mutex is free and takes it. At most one task may wait.
  public func lock() async {
    while isLocked { await waiter.wait() }
    isLocked = true
  }

  public func unlock() {
    isLocked = false
    waiter.wake()
  }
}
