internal import EventLoop
internal import Glibc

/// Carries finished log lines to a file descriptor on a thread of its own: a slow terminal, pipe
/// or disk never holds up a loop.
///
/// What waits is bounded. Beyond the bound lines are dropped, and the next line that fits is
/// preceded by one that says how many.
final class LogSink: Sendable {
  private struct State {
    var waiting: [UInt8] = []
    var dropped = 0
    var isClosed = false
    var shallReopen = false
  }

  private let state = Monitor(State())
  private let destination: LogDestination

  /// How long lines gather after a write before the next.
  private static let gatheringMicroseconds: useconds_t = 5_000
  /// Bytes that may wait to be written.
  private static let capacity = 4 << 20

  init(_ destination: LogDestination) {
    self.destination = destination
  }

  /// Opens the destination and starts the thread that writes; `close` ends it.
  func start() throws(SystemError) -> Thread {
    let descriptor = try destination.open()
    return try Thread(name: "log") { self.run(descriptor) }
  }

  /// Opens the destination's file anew before anything more is written, after it was renamed.
  func reopen() {
    state.withLock { $0.shallReopen = true }
    state.signal()
  }

  func append(_ line: [UInt8]) {
    state.withLock { state in
      guard state.waiting.count + line.count <= LogSink.capacity else {
        state.dropped += 1
        return
      }
      state.waiting.append(contentsOf: line)
    }
    state.signal()
  }

  /// The thread ends once all that waits is written.
  func close() {
    state.withLock { $0.isClosed = true }
    state.signal()
  }

  private struct Work {
    let bytes: [UInt8]
    let dropped: Int
    let reopens: Bool
  }

  private func run(_ first: CInt) {
    var descriptor = first
    while let work = nextWork() {
      // Where it can't be opened anew, the old file goes on: better there than nowhere.
      if work.reopens, let reopened = try? destination.open() {
        destination.close(descriptor)
        descriptor = reopened
      }
      write(work.bytes, to: descriptor)
      if work.dropped > 0 {
        let line = #"{"level":"error","event":"log_lines_dropped","count":\#(work.dropped)}"#
        write(Array("\(line)\n".utf8), to: descriptor)
      }
      // Lines that come together are written together: a wake-up for each would cost more than
      // the line itself.
      usleep(LogSink.gatheringMicroseconds)
    }
    destination.close(descriptor)
  }

  /// Waits for something to do; nil once the log is closed and all is written.
  private func nextWork() -> Work? {
    state.wait { state -> Work?? in
      guard !state.waiting.isEmpty || state.dropped > 0 || state.shallReopen else {
        return state.isClosed ? .some(nil) : nil
      }
      defer {
        state.waiting = []
        state.dropped = 0
        state.shallReopen = false
      }
      return Work(bytes: state.waiting, dropped: state.dropped, reopens: state.shallReopen)
    }
  }

  private func write(_ bytes: [UInt8], to descriptor: CInt) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        Glibc.write(descriptor, buffer.baseAddress.map { $0 + sent }, bytes.count - sent)
      }
      if count > 0 {
        sent += count
      } else if count < 0 && errno != EINTR && errno != EAGAIN {
        // Nobody can be told that the log itself can't be written.
        return
      }
    }
  }
}
