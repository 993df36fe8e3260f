internal import Glibc

/// What the system says of a file or folder that can't be used.
struct DiskError: Error {
  let reason: String

  /// Of the call that failed last.
  static var latest: DiskError { DiskError(reason: String(cString: strerror(errno))) }
}
