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

/// The importance of a log line. A configured level hides the lines of the levels before it in this
/// list: `warn` hides `debug` and `info`.
public enum LogLevel: String, Sendable, Hashable, CaseIterable, Comparable {
  case debug, info, warn, error

  private var rank: Int {
    switch self {
    case .debug: 0
    case .info: 1
    case .warn: 2
    case .error: 3
    }
  }

  public static func < (left: LogLevel, right: LogLevel) -> Bool {
    left.rank < right.rank
  }
}

/// The format of log lines.
public enum LogFormat: String, Sendable, Hashable, CaseIterable {
  /// One JSON object a line.
  case json
  /// For people: time, level, event and `name=value` pairs.
  case console
}
