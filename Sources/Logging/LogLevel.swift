/// How much a log line matters. A level hides the ones above it in this list.
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

/// How log lines are written.
public enum LogFormat: String, Sendable, Hashable, CaseIterable {
  /// One JSON object a line.
  case json
  /// For people: time, level, event and `name=value` pairs.
  case console
}
