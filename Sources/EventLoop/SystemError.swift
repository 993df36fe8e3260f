internal import CLinux
internal import Glibc

/// A system call that failed.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The call, such as `bind 127.0.0.1:8080`.
  public let call: String
  /// The kernel's `errno`.
  public let code: CInt

  public init(call: String, code: CInt) {
    self.call = call
    self.code = code
  }

  /// The error that the call on this thread has just left in `errno`.
  static func last(_ call: String) -> SystemError {
    SystemError(call: call, code: errno)
  }

  /// Whether an address is listened on already.
  public var isInUse: Bool { code == EADDRINUSE }

  public var description: String {
    "\(call): \(unsafe String(cString: strerror(code)))"
  }
}
