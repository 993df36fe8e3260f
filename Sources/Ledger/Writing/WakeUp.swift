internal import Glibc

/// What a thread sleeps on until another one signals it: a flag with a condition variable.
///
/// A signal that comes while nobody sleeps is kept for the next who would; two are one.
@safe final class WakeUp: @unchecked Sendable {
  // Sendable although it holds a mutable flag: it is touched under the mutex alone.
  private var isSignaled = false
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>

  init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe condition = .allocate(capacity: 1)
    WakeUp.check(unsafe pthread_mutex_init(mutex, nil))
    // The monotonic clock: a step of the system's time neither ends a sleep nor prolongs it.
    var attributes = pthread_condattr_t()
    WakeUp.check(unsafe pthread_condattr_init(&attributes))
    WakeUp.check(unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC))
    WakeUp.check(unsafe pthread_cond_init(condition, &attributes))
    WakeUp.check(unsafe pthread_condattr_destroy(&attributes))
  }

  deinit {
    unsafe pthread_cond_destroy(condition)
    unsafe pthread_mutex_destroy(mutex)
    unsafe condition.deallocate()
    unsafe mutex.deallocate()
  }

  func signal() {
    WakeUp.check(unsafe pthread_mutex_lock(mutex))
    isSignaled = true
    WakeUp.check(unsafe pthread_cond_signal(condition))
    WakeUp.check(unsafe pthread_mutex_unlock(mutex))
  }

  /// Sleeps until a signal; with a limit, at most so long.
  func wait(atMost limit: Duration?) {
    var deadline = WakeUp.deadline(after: limit ?? .zero)
    WakeUp.check(unsafe pthread_mutex_lock(mutex))
    while !isSignaled {
      guard limit != nil else {
        WakeUp.check(unsafe pthread_cond_wait(condition, mutex))
        continue
      }
      let status = unsafe pthread_cond_timedwait(condition, mutex, &deadline)
      if status == ETIMEDOUT { break }
      WakeUp.check(status)
    }
    isSignaled = false
    WakeUp.check(unsafe pthread_mutex_unlock(mutex))
  }

  private static func deadline(after limit: Duration) -> timespec {
    var deadline = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &deadline)
    let (seconds, attoseconds) = limit.components
    let nanoseconds = deadline.tv_nsec + Int(attoseconds / 1_000_000_000)
    deadline.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
    deadline.tv_nsec = nanoseconds % 1_000_000_000
    return deadline
  }

  private static func check(_ status: Int32) {
    precondition(status == 0, "a call on a mutex or a condition failed with \(status)")
  }
}
