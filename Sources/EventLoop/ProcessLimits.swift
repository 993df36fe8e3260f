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
}
