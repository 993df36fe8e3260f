internal import CLinux

/// The one lock of the house: a value that only its holder can touch.
///
/// It is pthread's, not `Synchronization.Mutex`, because ThreadSanitizer understands it: the
/// sanitizer stays a hard gate. What runs inside must be short and must never wait.
@safe public final class Lock<Value>: @unchecked Sendable {
  // Sendable although it holds a mutable value: the value is touched by the holder of the mutex
  // alone, and leaves only through `withLock`.
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

  /// Runs `body` with the value, alone.
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

  /// For `Monitor`: asks `body` with the value, alone, and releases the lock through `pause`
  /// until it gives a result; nil once `pause` says that the time is over.
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
