internal import EventLoop
internal import Glibc

/// The place to which log lines are written.
public enum LogDestination: Hashable, Sendable {
  case standardOutput
  /// Lines are appended to this file. If it doesn't exist, it is created with access for its owner
  /// only.
  case file(path: String)

  private static let permissions: mode_t = 0o600

  func open() throws(SystemError) -> CInt {
    switch self {
    case .standardOutput: return STDOUT_FILENO
    case .file(let path):
      let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC
      let descriptor = Glibc.open(path, flags, LogDestination.permissions)
      guard descriptor >= 0 else { throw SystemError(call: "open \(path)", code: errno) }
      return descriptor
    }
  }

  func close(_ descriptor: CInt) {
    if case .file = self { Glibc.close(descriptor) }
  }
}

extension LogDestination: CustomStringConvertible {
  public var description: String {
    switch self {
    case .standardOutput: "standard output"
    case .file(let path): path
    }
  }
}
