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
