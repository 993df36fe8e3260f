internal import CLinux

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
