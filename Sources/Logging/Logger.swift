public import EventLoop
public import JSON
internal import Time

/// Writes log lines: one event each, with named fields.
///
/// A secret must never be given to it; the types that hold secrets don't describe them.
public final class Logger: Sendable {
  private struct Settings {
    var level: LogLevel
    var format: LogFormat
  }

  private let settings: Lock<Settings>
  private let sink: LogSink
  private let thread: Thread
  private let clock: @Sendable () -> Timestamp

  /// Room for a line, so that it is allocated once.
  private static let usualLineBytes = 512

  /// Throws when the destination can't be opened.
  public init(
    _ destination: LogDestination = .standardOutput, level: LogLevel, format: LogFormat
  ) throws(SystemError) {
    settings = Lock(Settings(level: level, format: format))
    sink = LogSink(destination)
    thread = try sink.start()
    clock = { Timestamp.readSystemClock() }
  }

  /// Changes what is written from the next line on.
  public func configure(level: LogLevel, format: LogFormat) {
    settings.withLock { $0 = Settings(level: level, format: format) }
  }

  /// Goes on in a new file of the same name, after the old one was renamed.
  public func reopen() {
    sink.reopen()
  }

  /// Writes what waits and ends. Nothing may be logged afterwards.
  public func close() {
    sink.close()
    thread.join()
  }

  /// Writes one line, if its level is wanted. `fields` adds members to the line's object.
  public func log(
    _ level: LogLevel, _ event: String, _ fields: (inout JSONWriter) -> Void = { _ in }
  ) {
    let settings = settings.withLock { $0 }
    guard level >= settings.level else { return }
    var line: [UInt8] = []
    line.reserveCapacity(Logger.usualLineBytes)
    var writer = JSONWriter(appendingTo: line)
    line = []
    writer.object { line in
      line.member("ts", clock().rfc3339)
      line.member("level", level.rawValue)
      line.member("event", event)
      fields(&line)
    }
    var bytes = writer.bytes
    if settings.format == .console { bytes = ConsoleLine.render(bytes) }
    bytes.append(UInt8(ascii: "\n"))
    sink.append(bytes)
  }
}
