internal import Configuration
internal import Glibc
internal import TLS
internal import Time

/// The machine as a command sees it. Tests give a command other surroundings.
struct Surroundings: Sendable {
  var environment: [String: String]
  /// The name of the process's user. A network directory may take time to answer.
  var userName: @Sendable () -> String
  var files: any FileSource
  var now: @Sendable () -> Timestamp
  /// Returns the given number of random bytes from a cryptographic source.
  var randomBytes: @Sendable (Int) -> [UInt8]
  /// The styles of standard output and of standard error.
  var output: OutputStyle
  var errorOutput: OutputStyle
  /// Writes to standard output at once, for output that is too large to keep until the command's
  /// end. It returns false if the output can't be written.
  var writeOutput: @Sendable ([UInt8]) -> Bool
  /// Writes to standard error at once, for messages that can't wait for the command's end.
  var writeError: @Sendable (String) -> Void
}

extension Surroundings {
  /// The machine itself.
  static func ofThisProcess() -> Surroundings {
    let environment = ProcessEnvironment.variables()
    return Surroundings(
      environment: environment, userName: { systemUserName() }, files: DiskFiles(),
      now: { Timestamp.readSystemClock() }, randomBytes: { SecureRandom.bytes($0) },
      output: .ofDescriptor(STDOUT_FILENO, environment),
      errorOutput: .ofDescriptor(STDERR_FILENO, environment),
      writeOutput: { StandardStream.output.write($0) },
      writeError: { StandardStream.error.write($0) })
  }

  /// The name of the process's user, or the number where the system knows no name.
  private static func systemUserName() -> String {
    let id = geteuid()
    return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { room in
      var entry = unsafe passwd()
      var found: UnsafeMutablePointer<passwd>?
      guard let texts = room.baseAddress,
        unsafe getpwuid_r(id, &entry, texts, room.count, &found) == 0,
        unsafe found != nil, let name = unsafe entry.pw_name
      else { return "\(id)" }
      return unsafe String(cString: name)
    }
  }

  /// The actor for the audit log: `cli:USER`.
  var actor: String {
    let user = environment["USER"] ?? environment["LOGNAME"] ?? ""
    return "cli:\(user.isEmpty ? userName() : user)"
  }
}

/// The environment that this process was started with.
enum ProcessEnvironment {
  static func variables() -> [String: String] {
    var variables: [String: String] = [:]
    var next = environ
    while let entry = next.pointee {
      let text = String(cString: entry)
      if let sign = text.firstIndex(of: "=") {
        variables[String(text[..<sign])] = String(text[text.index(after: sign)...])
      }
      next += 1
    }
    return variables
  }
}
