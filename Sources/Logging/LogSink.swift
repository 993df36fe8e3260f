internal import EventLoop
internal import Glibc

/// Writes finished log lines to a file descriptor on a thread of its own. A slow terminal, pipe or
/// disk never holds up a loop.
///
/// At most 4 MiB of lines wait. If more come, they are dropped, and a line with their number
/// precedes the next line that fits. If a write fails, for example because the disk is full, the
/// lines keep their place and are tried again. Standard error gets one message each time that
/// writes begin to fail.
final class LogSink: Sendable {
  private struct State {
    var waiting: [UInt8] = []
    var dropped = 0
    var isClosed = false
    var shallReopen = false
  }

  private let state = Monitor(State())
  private let destination: LogDestination
  private let notice: @Sendable (Notice) -> [UInt8]

  /// An event of the log itself, which it writes as a line.
  enum Notice {
    case dropped(Int)
    case notReopened(SystemError)
  }

  /// The pause after a write, in which lines gather for the next.
  private static let gatheringMicroseconds: useconds_t = 5_000
  /// The pause after a failed write before the next attempt.
  private static let retryMicroseconds: useconds_t = 200_000
  /// The most bytes that may wait, not counting those that are being written.
  private static let capacity = 4 << 20

  /// - Parameter notice: makes a line, with its line break, of an event of the log itself.
  init(_ destination: LogDestination, notice: @escaping @Sendable (Notice) -> [UInt8]) {
    self.destination = destination
    self.notice = notice
  }

  /// Opens the destination and starts the thread that writes. `close` ends it.
  ///
  /// - Throws: The error of opening the destination or of starting the thread.
  func start() throws(SystemError) -> Thread {
    let descriptor = try destination.open()
    return try Thread(name: "log") { self.run(descriptor) }
  }

  /// Opens the destination's file again before the next write, for example after it was renamed.
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

  /// Ends the thread after it has written all waiting lines, or has failed to.
  func close() {
    state.withLock { $0.isClosed = true }
    state.signal()
  }

  private struct Work {
    let bytes: [UInt8]
    let dropped: Int
    let reopens: Bool
    let isLast: Bool
  }

  private func run(_ first: CInt) {
    var descriptor = first
    var lines = UnwrittenLines()
    var isFailing = false
    while let work = lines.isEmpty ? nextWork() : currentWork() {
      if work.dropped > 0 { lines.append(notice(.dropped(work.dropped))) }
      lines.append(work.bytes)
      if work.reopens {
        do {
          let reopened = try destination.open()
          destination.close(descriptor)
          descriptor = reopened
          lines.beginAgain()
        } catch {
          // The lines go on into the old file.
          if !isFailing { lines.append(notice(.notReopened(error))) }
        }
      }
      let failure = lines.write(to: descriptor)
      if let failure, !isFailing { complain(failure) }
      isFailing = failure != nil
      if isFailing && work.isLast { break }
      // Lines that come together are written together: a wake-up for each would cost more than the
      // line itself.
      usleep(isFailing ? LogSink.retryMicroseconds : LogSink.gatheringMicroseconds)
    }
    destination.close(descriptor)
  }

  /// Waits for work; nil once the log is closed and all lines are written.
  private func nextWork() -> Work? {
    state.wait { state -> Work?? in
      guard !state.waiting.isEmpty || state.dropped > 0 || state.shallReopen else {
        return state.isClosed ? .some(nil) : nil
      }
      return LogSink.take(from: &state, alsoLines: true)
    }
  }

  /// The work to do while lines are still unwritten. Lines that came meanwhile go on waiting, so
  /// the bound on them holds.
  private func currentWork() -> Work? {
    state.withLock { LogSink.take(from: &$0, alsoLines: false) }
  }

  private static func take(from state: inout State, alsoLines: Bool) -> Work {
    let work = Work(
      bytes: alsoLines ? state.waiting : [], dropped: alsoLines ? state.dropped : 0,
      reopens: state.shallReopen, isLast: state.isClosed)
    state.shallReopen = false
    if alsoLines {
      state.waiting = []
      state.dropped = 0
    }
    return work
  }

  /// Writes the failure to standard error, because the log can't be written.
  private func complain(_ failure: SystemError) {
    let bytes = Array("log: \(destination): \(failure); lines wait until it can be written\n".utf8)
    bytes.withUnsafeBytes { buffer in
      // If standard error can't be written either, the failure is dropped.
      _ = Glibc.write(STDERR_FILENO, buffer.baseAddress, buffer.count)
    }
  }
}

/// Lines on their way to a descriptor. A first part of them can be written already.
private struct UnwrittenLines {
  private var bytes: [UInt8] = []
  private var written = 0

  var isEmpty: Bool { bytes.isEmpty }

  mutating func append(_ lines: [UInt8]) {
    if bytes.isEmpty { bytes = lines } else { bytes.append(contentsOf: lines) }
  }

  /// Prepares for another descriptor: a line that was written in part is written whole.
  mutating func beginAgain() {
    let lineEnd = bytes[..<written].lastIndex(of: UInt8(ascii: "\n"))
    written = lineEnd.map { $0 + 1 } ?? 0
  }

  /// Writes as much as it can. Returns the error if that wasn't all, else nil.
  mutating func write(to descriptor: CInt) -> SystemError? {
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        Glibc.write(descriptor, buffer.baseAddress.map { $0 + written }, bytes.count - written)
      }
      if count > 0 {
        written += count
      } else if count < 0, errno == EAGAIN {
        var waiter = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&waiter, 1, -1)
      } else if count == 0 || errno != EINTR {
        return SystemError(call: "write", code: count == 0 ? ENOSPC : errno)
      }
    }
    bytes = []
    written = 0
    return nil
  }
}

/// The place to which log lines are written.
public enum LogDestination: Hashable, Sendable {
  case standardOutput
  /// Lines are appended to this file. If it doesn't exist, it is created with access for its owner
  /// only.
  case file(path: String)

  private static let permissions: mode_t = 0o600

  func open() throws(SystemError) -> CInt {
    switch self {
    case .standardOutput: return STDOUT_FILENO
    case .file(let path):
      let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC
      let descriptor = Glibc.open(path, flags, LogDestination.permissions)
      guard descriptor >= 0 else { throw SystemError(call: "open \(path)", code: errno) }
      return descriptor
    }
  }

  func close(_ descriptor: CInt) {
    if case .file = self { Glibc.close(descriptor) }
  }
}

extension LogDestination: CustomStringConvertible {
  public var description: String {
    switch self {
    case .standardOutput: "standard output"
    case .file(let path): path
    }
  }
}
