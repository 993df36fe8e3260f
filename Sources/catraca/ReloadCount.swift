internal import EventLoop

/// How often the files were read anew and put in force, and how often they were refused.
final class ReloadCount: Sendable {
  private let state = Lock((done: Int64(0), failed: Int64(0)))

  var counts: (done: Int64, failed: Int64) { state.withLock { $0 } }

  func note(isDone: Bool) {
    state.withLock { counts in
      if isDone { counts.done += 1 } else { counts.failed += 1 }
    }
  }
}
