internal import Glibc

/// The files of this machine.
public struct DiskFiles: FileSource {
  /// Bytes asked for in one read.
  private static let chunkSize = 1 << 18

  public init() {}

  public func read(_ path: String, atMost limit: Int) throws(FileError) -> [UInt8] {
    let descriptor = retryingInterrupts { unsafe open(path, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw FileError(errno: errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    while true {
      let (chunk, count) = readChunk(descriptor)
      guard count >= 0 else { throw FileError(errno: errno) }
      if count == 0 { return bytes }
      bytes += chunk
      guard bytes.count <= limit else { throw .tooLarge(limit: limit) }
    }
  }

  private func readChunk(_ descriptor: CInt) -> (bytes: [UInt8], count: Int) {
    var count = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.chunkSize) { buffer, used in
      count = retryingInterrupts {
        unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      }
      used = max(count, 0)
    }
    return (bytes, count)
  }
}

/// Repeats a system call that a signal interrupted.
private func retryingInterrupts<Result: FixedWidthInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    if result != -1 || errno != EINTR { return result }
  }
}

extension FileError {
  fileprivate init(errno code: CInt) {
    self =
      code == ENOENT
      ? .missing : .unreadable(reason: unsafe String(cString: strerror(code)))
  }
}
