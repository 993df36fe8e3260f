internal import EventLoop
internal import JSON
internal import Time

/// Makes the line of an event in the configured format.
final class LogLineWriter: Sendable {
  private struct Settings {
    var level: LogLevel
    var format: LogFormat
  }

  private let settings: Lock<Settings>
  private let clock: @Sendable () -> Timestamp

  /// The capacity for a line, in bytes, so that it is allocated once.
  private static let usualLineBytes = 512

  init(level: LogLevel, format: LogFormat, clock: @escaping @Sendable () -> Timestamp) {
    settings = Lock(Settings(level: level, format: format))
    self.clock = clock
  }

  func configure(level: LogLevel, format: LogFormat) {
    settings.withLock { $0 = Settings(level: level, format: format) }
  }

  /// Whether lines of this level are written.
  func writes(_ level: LogLevel) -> Bool { level >= settings.withLock { $0.level } }

  /// One line with its line break.
  func line(
    _ level: LogLevel, _ event: String, _ fields: (inout JSONWriter) -> Void
  ) -> [UInt8] {
    var line: [UInt8] = []
    line.reserveCapacity(LogLineWriter.usualLineBytes)
    var writer = JSONWriter(appendingTo: line)
    line = []
    writer.object { line in
      line.member("ts", clock().rfc3339)
      line.member("level", level.rawValue)
      line.member("event", event)
      fields(&line)
    }
    var bytes = writer.bytes
    if settings.withLock({ $0.format }) == .console { bytes = ConsoleLine.render(bytes) }
    bytes.append(UInt8(ascii: "\n"))
    return bytes
  }
}
