internal import CLinux
internal import Glibc

/// What the operating system allows this process.
public enum ProcessLimits {
  /// Raises the number of descriptors that may be open to the most that is allowed, and says how
  /// many that is. A connection needs one on each side.
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

  /// Keeps what is in memory, keys above all, out of core dumps and from other processes of the
  /// same user; and keeps this process and what it starts from gaining privileges, as by a setuid
  /// program. Neither can be undone.
  ///
  /// The second holds for the calling thread and those that it starts from then on: call it before
  /// there are others.
  public static func shutIn() throws(SystemError) {
    guard catraca_forbid_inspection() == 0 else { throw .last("prctl PR_SET_DUMPABLE") }
    guard catraca_forbid_new_privileges() == 0 else { throw .last("prctl PR_SET_NO_NEW_PRIVS") }
  }
}
