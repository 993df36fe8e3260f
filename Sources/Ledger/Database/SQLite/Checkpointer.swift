internal import EventLoop

/// Copies what the write-ahead log of a file holds back into it, on a thread of its own.
///
/// A copy waits twice for the disk: until the log is there, and until the file is. Where the writer
/// made it, every request waited with it, some 15 ms for 16 MiB.
final class Checkpointer: Sendable {
  private struct State {
    var isDue = false
    var isAtWork = false
    var isLast = false
    var progress = LogProgress()
  }

  private let state: Monitor<State>
  private let thread: Lock<Thread?>

  /// Opens the file at `path` once more, as `options` say. Throws `cannotOpen` or `unavailable`.
  init(path: String, _ options: ServerLedger.Options) throws(LedgerError) {
    let connection = try SQLiteConnection(
      path: path, access: .readWrite, busyTimeoutMilliseconds: options.busyTimeoutMilliseconds,
      fileSystem: options.fileSystem)
    // A connection that has read nothing yet doesn't know that there is a log.
    try connection.execute("PRAGMA synchronous = NORMAL; SELECT 1 FROM sqlite_schema LIMIT 1")
    let state = Monitor(State())
    self.state = state
    let handover = Lock<SQLiteConnection?>(connection)
    do {
      thread = Lock(try Thread(name: "checkpoint") { Checkpointer.work(handover, state) })
    } catch {
      throw .unavailable(reason: "no thread to make checkpoints on: \(error)")
    }
  }

  deinit { stop() }

  /// Has all copied that is in the log, soon.
  func ring() {
    state.withLock { $0.isDue = true }
    state.signal()
  }

  /// The pages copied until the end of the last round.
  var progress: LogProgress { state.withLock { $0.progress } }

  /// Waits until all rounds that were asked for have ended, or none begins any more.
  func finish() {
    state.wait { ($0.isDue || $0.isAtWork) && !$0.isLast ? nil : () }
  }

  /// Waits until the round under way has ended; there is none afterwards.
  func stop() {
    state.withLock { $0.isLast = true }
    state.signal()
    thread.withLock { $0.take() }?.join()
  }

  private static func work(_ handover: Lock<SQLiteConnection?>, _ state: Monitor<State>) {
    let connection = handover.withLock { $0.take() }
    while waitUntilDue(state) {
      // The next ring retries a failure. Nothing is lost, since the log has all of it.
      let progress = connection?.copyLog()
      // The writer later needn't wait for pages that are on the disk already.
      if let progress, progress.frames >= LogWatch.long { _ = connection?.synchronizeFile() }
      state.withLock { state in
        state.isAtWork = false
        if let progress { state.progress = progress }
      }
      // The writer may wait for the end of this round.
      state.signal()
    }
  }

  /// False when nothing is to be done any more.
  private static func waitUntilDue(_ state: Monitor<State>) -> Bool {
    state.wait { state -> Bool? in
      guard !state.isLast else { return false }
      guard state.isDue else { return nil }
      state.isDue = false
      state.isAtWork = true
      return true
    }
  }
}
