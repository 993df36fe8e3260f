public import EventLoop
public import JSON
internal import Time

/// Writes log lines: one event each, with named fields.
///
/// Callers must never log a secret. The types that hold secrets don't describe them.
public final class Logger: Sendable {
  private let writer: LogLineWriter
  private let sink: LogSink
  private let thread: Thread

  /// Opens the destination and starts the thread that writes.
  ///
  /// - Throws: The system's error if the destination can't be opened or the thread can't be
  ///   started.
  public init(
    _ destination: LogDestination = .standardOutput, level: LogLevel, format: LogFormat
  ) throws(SystemError) {
    let writer = LogLineWriter(level: level, format: format) { Timestamp.readSystemClock() }
    self.writer = writer
    sink = LogSink(destination) { notice in
      switch notice {
      case .dropped(let count):
        writer.line(.error, "log_lines_dropped") { $0.member("count", Int64(count)) }
      case .notReopened(let error):
        writer.line(.error, "log_not_reopened") { $0.member("reason", error.description) }
      }
    }
    thread = try sink.start()
  }

  /// Changes the level and the format from the next line on.
  public func configure(level: LogLevel, format: LogFormat) {
    writer.configure(level: level, format: format)
  }

  /// Goes on in a new file of the same name, for example after the old one was renamed.
  public func reopen() {
    sink.reopen()
  }

  /// Writes all waiting lines and ends. A caller must not log afterwards.
  public func close() {
    sink.close()
    thread.join()
  }

  /// Writes one line if its level is written. `fields` adds members to the line's object.
  public func log(
    _ level: LogLevel, _ event: String, _ fields: (inout JSONWriter) -> Void = { _ in }
  ) {
    guard writer.writes(level) else { return }
    sink.append(writer.line(level, event, fields))
  }
}
