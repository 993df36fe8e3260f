internal import Glibc

/// Standard output and standard error.
enum StandardStream: CInt, Sendable {
  case output = 1
  case error = 2

  /// Writes all bytes and returns whether that worked. It fails on a full disk or a closed pipe.
  @discardableResult
  func write(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { write($0) }
  }

  /// Writes all of it, and returns whether that worked.
  func write(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBufferPointer { write($0) }
  }

  private func write(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var written = 0
    while written < bytes.count {
      let count = Glibc.write(
        rawValue, bytes.baseAddress?.advanced(by: written), bytes.count - written)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      written += count
    }
    return true
  }
}
