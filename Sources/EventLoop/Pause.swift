internal import CLinux
internal import Glibc

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
