internal import CLinux

/// A locked value for which a thread can wait until it changes.
///
/// For the few threads that wait for work (the ledger's writer, the log's): never on a loop.
public final class Monitor<Value>: Sendable {
  private let lock: Lock<Value>
  private let condition: Condition

  /// pthread's condition variable, with its one owner.
  @safe private final class Condition: @unchecked Sendable {
    // Sendable although it wraps a pointer: the pointer never changes, and pthread's functions
    // may be called on it from every thread.
    let pointer: UnsafeMutablePointer<pthread_cond_t>

    init() {
      unsafe pointer = .allocate(capacity: 1)
      // Waits end by the clock that never jumps.
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

  /// Runs `body` with the value, alone.
  public func withLock<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try lock.withLock(body)
  }

  /// Wakes one waiting thread.
  public func signal() {
    unsafe pthread_cond_signal(condition.pointer)
  }

  /// Waits, off every loop, until `body` gives a result. It is asked first at once and then
  /// after each `signal`.
  public func wait<Result>(_ body: (inout sending Value) -> sending Result?) -> sending Result {
    precondition(EventLoop.current == nil, "a loop never waits for a monitor")
    let result = unsafe lock.wait(
      on: { mutex in unsafe pthread_cond_wait(condition.pointer, mutex) }, body)
    guard let result else { preconditionFailure("a wait without an end has ended") }
    return result
  }

  /// The same until `end`; nil where `body` has given nothing by then.
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
