internal import CLinux

/// A value of one event loop on its way into a task of that loop.
///
/// It is Sendable, because only the loop's own thread can take the value out, which each access
/// checks.
public struct LoopBound<Value>: @unchecked Sendable {
  private let held: Value
  public let loop: EventLoop

  public init(_ value: Value, on loop: EventLoop) {
    loop.preconditionOnLoop()
    self.held = value
    self.loop = loop
  }

  /// The value. The caller must run on the loop.
  public var value: Value {
    loop.preconditionOnLoop()
    return held
  }
}

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

/// A value that only the holder of its lock can use. Catraca has no other kind of lock.
///
/// It uses pthread's mutex instead of `Synchronization.Mutex`, because ThreadSanitizer understands
/// it. Code under the lock must be short and must never wait.
@safe public final class Lock<Value>: @unchecked Sendable {
  // Sendable despite its mutable value: only the holder of the mutex uses the value, and only
  // through `withLock`.
  private var value: Value
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  public init(_ value: sending Value) {
    self.value = value
    unsafe mutex = .allocate(capacity: 1)
    let status = unsafe pthread_mutex_init(mutex, nil)
    precondition(status == 0, "pthread_mutex_init failed with \(status)")
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  /// Runs `body` with exclusive access to the value.
  ///
  /// - Throws: The error of `body`.
  public func withLock<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    let locked = unsafe pthread_mutex_lock(mutex)
    precondition(locked == 0, "pthread_mutex_lock failed with \(locked)")
    defer {
      let unlocked = unsafe pthread_mutex_unlock(mutex)
      precondition(unlocked == 0, "pthread_mutex_unlock failed with \(unlocked)")
    }
    return try body(&value)
  }

  /// Calls `body` with exclusive access to the value until it returns a result, and releases the
  /// lock through `pause` between the calls. Returns nil once `pause` reports a timeout. For
  /// `Monitor`.
  func wait<Result>(
    on pause: (UnsafeMutablePointer<pthread_mutex_t>) -> CInt,
    _ body: (inout sending Value) -> sending Result?
  ) -> sending Result? {
    let locked = unsafe pthread_mutex_lock(mutex)
    precondition(locked == 0, "pthread_mutex_lock failed with \(locked)")
    defer {
      let unlocked = unsafe pthread_mutex_unlock(mutex)
      precondition(unlocked == 0, "pthread_mutex_unlock failed with \(unlocked)")
    }
    while true {
      if let result = body(&value) { return result }
      let paused = unsafe pause(mutex)
      if paused == ETIMEDOUT { return nil }
      precondition(paused == 0, "pthread_cond_wait failed with \(paused)")
    }
  }
}
