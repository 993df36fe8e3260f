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
