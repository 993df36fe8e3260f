internal import Configuration
internal import Glibc

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

/// What this user may do with a path.
enum PathAccess {
  static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// The folder that a path lies in.
  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Why a file can't be written, or made where there is none; nil where it can.
  static func obstacle(toWriting path: String) -> String? {
    let place = isThere(path) ? path : folder(of: path)
    guard access(place, W_OK) != 0 else { return nil }
    return "\(place): \(String(cString: strerror(errno)))"
  }
}
