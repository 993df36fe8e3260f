internal import Configuration
internal import Glibc

/// The result of one check: its state, and the advice for the operator.
struct Finding: Hashable, Sendable {
  enum State: String, Sendable, CaseIterable {
    case ok
    /// It works, but something is better done otherwise.
    case warning
    /// A server doesn't start or doesn't serve like this.
    case problem
  }

  enum CheckCommand: String, Sendable, CaseIterable {
    case configuration, secrets, prices, provider, clock, ledger, disk, log, certificate, listener
    case telemetry
    case openFiles = "open_files"
    case process

    var title: String { self == .openFiles ? "open files" : rawValue }
  }

  let check: CheckCommand
  let state: State
  /// The result in words, beginning with the thing that was checked.
  let text: String
  /// The advice, in one sentence; nil if all is well.
  let advice: String?

  static func ok(_ check: CheckCommand, _ text: String) -> Finding {
    Finding(check: check, state: .ok, text: text, advice: nil)
  }

  static func warning(_ check: CheckCommand, _ text: String, advice: String) -> Finding {
    Finding(check: check, state: .warning, text: text, advice: advice)
  }

  static func problem(_ check: CheckCommand, _ text: String, advice: String) -> Finding {
    Finding(check: check, state: .problem, text: text, advice: advice)
  }
}

/// Checks that the log can be written to its destination.
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

/// Asks the system for this user's access to a path.
enum PathAccess {
  static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// The folder that a path lies in.
  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The reason why a file can't be written, or can't be made if it is missing; nil if it can.
  static func obstacle(toWriting path: String) -> String? {
    let place = isThere(path) ? path : folder(of: path)
    guard access(place, W_OK) != 0 else { return nil }
    return "\(place): \(String(cString: strerror(errno)))"
  }
}
