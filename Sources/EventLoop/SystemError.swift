internal import CLinux
internal import Glibc

/// A system call that failed.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The call, for example `bind 127.0.0.1:8080`.
  public let call: String
  /// The kernel's `errno`.
  public let code: CInt

  public init(call: String, code: CInt) {
    self.call = call
    self.code = code
  }

  /// Returns the error that the last call on this thread left in `errno`.
  static func last(_ call: String) -> SystemError {
    SystemError(call: call, code: errno)
  }

  /// Whether the address is already in use.
  public var isInUse: Bool { code == EADDRINUSE }

  public var description: String {
    "\(call): \(unsafe String(cString: strerror(code)))"
  }
}

/// The limits that the operating system sets for this process.
public enum ProcessLimits {
  /// Raises the limit of open descriptors to the highest allowed value, and returns it. A
  /// connection needs one descriptor on each side.
  @discardableResult
  public static func raiseOpenFiles() -> Int {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      return 0
    }
    let wanted = limit.rlim_max
    if limit.rlim_cur < wanted {
      limit.rlim_cur = wanted
      guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
        return 0
      }
    }
    return Int(clamping: limit.rlim_cur)
  }

  /// Protects the process's memory, above all its keys: it stays out of core dumps and is hidden
  /// from other processes of the same user. Also prevents this process and its children from
  /// gaining privileges, for example through a setuid program. Neither can be undone.
  ///
  /// The second protection applies to the calling thread and to threads that it starts afterwards,
  /// so call it before other threads exist.
  /// - Throws: `SystemError` if the kernel refuses.
  public static func shutIn() throws(SystemError) {
    guard catraca_forbid_inspection() == 0 else { throw .last("prctl PR_SET_DUMPABLE") }
    guard catraca_forbid_new_privileges() == 0 else { throw .last("prctl PR_SET_NO_NEW_PRIVS") }
  }
}
