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
  }

  private let state = Monitor(State())
  private let descriptor: CInt

  /// Bytes that may wait to be written.
  private static let capacity = 4 << 20

  init(descriptor: CInt) {
    self.descriptor = descriptor
  }

  /// Starts the thread that writes; `close` ends it.
  func start() throws(SystemError) -> Thread {
    try Thread(name: "log") { self.run() }
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

  private func run() {
    while true {
      let taken: (bytes: [UInt8], dropped: Int)? = state.wait { state in
        if state.waiting.isEmpty && state.dropped == 0 { return state.isClosed ? .some(nil) : nil }
        defer {
          state.waiting = []
          state.dropped = 0
        }
        return (state.waiting, state.dropped)
      }
      guard let taken else { return }
      write(taken.bytes)
      if taken.dropped > 0 {
        write(
          Array(
            "{\"level\":\"error\",\"event\":\"log_lines_dropped\",\"count\":\(taken.dropped)}\n"
              .utf8))
      }
    }
  }

  private func write(_ bytes: [UInt8]) {
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
