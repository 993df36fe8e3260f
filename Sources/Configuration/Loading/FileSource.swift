internal import Glibc

/// A source of configuration files.
public protocol FileSource: Sendable {
  /// Returns the bytes of the file at `path`.
  /// - Throws: `FileError`; `tooLarge` if the file has more than `limit` bytes.
  func read(_ path: String, atMost limit: Int) throws(FileError) -> [UInt8]

  /// Returns the stamp of the last write of the file at `path`; nil if it doesn't exist.
  func stamp(of path: String) -> FileStamp?
}

/// A value that differs after each write of a file, even if its content is the same.
public struct FileStamp: Hashable, Sendable {
  private let inode: UInt64
  private let nanoseconds: Int64

  /// - Parameters:
  ///   - inode: The file's inode, which changes when a file is renamed into place.
  ///   - nanoseconds: The time of the write, of any epoch.
  public init(inode: UInt64, nanoseconds: Int64) {
    self.inode = inode
    self.nanoseconds = nanoseconds
  }
}

/// The reason that a file can't be read.
public enum FileError: Error, Hashable, Sendable, CustomStringConvertible {
  case missing
  /// The file has more than this number of bytes.
  case tooLarge(limit: Int)
  /// The system's reason.
  case unreadable(reason: String)

  public var description: String {
    switch self {
    case .missing: "no such file"
    case .tooLarge(let limit): "the file is too large; allowed: \(limit) bytes"
    case .unreadable(let reason): reason
    }
  }
}

/// The files of this machine.
public struct DiskFiles: FileSource {
  /// The capacity beyond a file's reported size, for files that grow or report no size.
  private static let spareRoom = 1 << 16

  /// The most bytes of one read. A kernel without preemption copies all bytes of one call before
  /// anything else runs on its processor: for a file of 30 MB, requests would wait 15 ms.
  private static let largestRead = 128 << 10

  public init() {}

  /// - Throws: `FileError` if the file is missing, too large, or can't be read.
  public func read(_ path: String, atMost limit: Int) throws(FileError) -> [UInt8] {
    let descriptor = retryingInterrupts { unsafe open(path, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw FileError(errno: errno) }
    defer { close(descriptor) }
    var bytes = try chunk(descriptor, size: min(size(descriptor), limit) + Self.spareRoom)
    // Usually the end of the file.
    while true {
      guard bytes.count <= limit else { throw .tooLarge(limit: limit) }
      let more = try chunk(descriptor, size: Self.spareRoom)
      if more.isEmpty { return bytes }
      bytes += more
    }
  }

  public func stamp(of path: String) -> FileStamp? {
    var status = stat()
    guard unsafe fstatat(AT_FDCWD, path, &status, 0) == 0 else { return nil }
    let written = status.st_mtim
    return FileStamp(
      inode: UInt64(status.st_ino),
      nanoseconds: Int64(written.tv_sec) &* 1_000_000_000 &+ Int64(written.tv_nsec))
  }

  /// Returns the file's size; zero if it can't be read.
  private func size(_ descriptor: CInt) -> Int {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 ? max(0, Int(status.st_size)) : 0
  }

  /// Returns the next bytes, at most `size`; fewer only at the end of the file.
  private func chunk(_ descriptor: CInt, size: Int) throws(FileError) -> [UInt8] {
    var failure: CInt?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, used in
      while used < size {
        let rest = unsafe UnsafeMutableRawBufferPointer(
          rebasing: UnsafeMutableRawBufferPointer(buffer)[used...])
        let count = retryingInterrupts {
          unsafe Glibc.read(descriptor, rest.baseAddress, min(rest.count, Self.largestRead))
        }
        if count < 0 { failure = errno }
        guard count > 0 else { break }
        used += count
      }
    }
    if let failure { throw FileError(errno: failure) }
    return bytes
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
