internal import Configuration

/// Whether the log can be written where it is wanted.
enum LogCheck {
  static func findings(_ settings: LogSettings) -> [Finding] {
    guard let file = settings.file else { return [.ok(.log, "goes to standard output")] }
    guard let obstacle = PathAccess.obstacle(toWriting: file) else {
      return [.ok(.log, "\(file): writable")]
    }
    return [
      .problem(
        .log, obstacle,
        advice: "Make the folder of log.file, and let the server's user write there.")
    ]
  }
}
