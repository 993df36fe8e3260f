internal import Configuration
internal import Glibc
internal import TLS
internal import Time

/// All that a command can notice of the machine: handed in, so that tests hand in another.
struct Surroundings: Sendable {
  var environment: [String: String]
  /// As whom the process runs; where that is asked for in a network, it takes time.
  var userName: @Sendable () -> String
  var files: any FileSource
  var now: @Sendable () -> Timestamp
  /// So many bytes that nobody can guess.
  var randomBytes: @Sendable (Int) -> [UInt8]
  /// How standard output and standard error are shown.
  var output: OutputStyle
  var errorOutput: OutputStyle
  /// Writes to standard output at once, for what is too much to be kept until the command's end;
  /// false where it can't be written.
  var writeOutput: @Sendable ([UInt8]) -> Bool
  /// Writes to standard error at once, for what can't wait for the command's end.
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

  /// Who types, for the audit log: `cli:USER`.
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
