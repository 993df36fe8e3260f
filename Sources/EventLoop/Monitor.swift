internal import CLinux

/// A locked value for whose change a thread can wait.
///
/// Only a few threads use it to wait for work (the ledger's writer, the log's). It must not be used
/// on a loop.
public final class Monitor<Value>: Sendable {
  private let lock: Lock<Value>
  private let condition: Condition

  /// Owns pthread's condition variable.
  @safe private final class Condition: @unchecked Sendable {
    // Sendable despite its pointer: the pointer never changes, and every thread may call pthread's
    // functions with it.
    let pointer: UnsafeMutablePointer<pthread_cond_t>

    init() {
      unsafe pointer = .allocate(capacity: 1)
      // Waits use the monotonic clock.
      var attributes = pthread_condattr_t()
      unsafe pthread_condattr_init(&attributes)
      unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
      let status = unsafe pthread_cond_init(pointer, &attributes)
      unsafe pthread_condattr_destroy(&attributes)
      precondition(status == 0, "pthread_cond_init failed with \(status)")
    }

    deinit {
      unsafe pthread_cond_destroy(pointer)
      unsafe pointer.deallocate()
    }
  }

  public init(_ value: sending Value) {
    lock = Lock(value)
    condition = Condition()
  }

  /// Runs `body` with exclusive access to the value.
  ///
  /// - Throws: The error of `body`.
  public func withLock<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try lock.withLock(body)
  }

  /// Wakes one waiting thread.
  public func signal() {
    unsafe pthread_cond_signal(condition.pointer)
  }

  /// Waits until `body` returns a result. `body` is called at once and after each `signal`. Must
  /// not be called on a loop.
  public func wait<Result>(_ body: (inout sending Value) -> sending Result?) -> sending Result {
    precondition(EventLoop.current == nil, "a loop never waits for a monitor")
    let result = unsafe lock.wait(
      on: { mutex in unsafe pthread_cond_wait(condition.pointer, mutex) }, body)
    guard let result else { preconditionFailure("a wait without an end has ended") }
    return result
  }

  /// Waits until `body` returns a result, at most until `end`; returns nil after that.
  public func wait<Result>(
    until end: MonotonicInstant, _ body: (inout sending Value) -> sending Result?
  ) -> sending Result? {
    precondition(EventLoop.current == nil, "a loop never waits for a monitor")
    var time = timespec(
      tv_sec: Int(end.nanoseconds / 1_000_000_000), tv_nsec: Int(end.nanoseconds % 1_000_000_000))
    return unsafe lock.wait(
      on: { mutex in unsafe pthread_cond_timedwait(condition.pointer, mutex, &time) }, body)
  }
}
