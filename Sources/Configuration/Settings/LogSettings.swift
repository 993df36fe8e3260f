public import Logging

/// The settings of the log.
public struct LogSettings: Hashable, Sendable {
  public var level = LogLevel.info
  public var format = LogFormat.json
  /// The log file; nil for standard output.
  public var file: String?

  public init() {}
}

extension LogSettings: TabledSettings {
  static var rows: [SettingRow<LogSettings>] {
    [
      SettingRow("level", \.level, .choice, "The least severe event that is logged"),
      SettingRow("format", \.format, .choice, "For machines or for eyes"),
      SettingRow(
        "file", \.file, .path, isReloadable: false,
        "The file that lines are appended to; without it standard output"),
    ]
  }
}
