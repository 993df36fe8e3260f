internal import CSQLite
internal import Glibc

/// A file that is appended to, locked or read by its descriptor, which is closed with it.
struct File: ~Copyable {
  private let descriptor: Int32

  /// The system's reason for the failure.
  struct Failure: Error {
    let code: Int32
    var reason: String { unsafe String(cString: strerror(code)) }
  }

  private static let permissions: mode_t = 0o600

  /// Opens the file for reading and appending, and creates it, readable by its owner alone.
  init(path: String) throws(Failure) {
    descriptor = unsafe Glibc.open(
      path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, File.permissions)
    guard descriptor >= 0 else { throw Failure(code: errno) }
  }

  /// Opens a file that is there already.
  init(existingAt path: String) throws(Failure) {
    descriptor = unsafe Glibc.open(path, O_RDWR | O_APPEND | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(code: errno) }
  }

  deinit {
    _ = Glibc.close(descriptor)
  }

  /// Whether this process now holds the file's advisory lock; it ends with the process.
  borrowing func lock() -> Bool {
    flock(descriptor, LOCK_EX | LOCK_NB) == 0
  }

  borrowing func size() throws(Failure) -> Int {
    let end = lseek(descriptor, 0, SEEK_END)
    guard end >= 0 else { throw Failure(code: errno) }
    return end
  }

  /// The file's number in its file system.
  borrowing func inode() throws(Failure) -> UInt64 {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw Failure(code: errno) }
    return UInt64(status.st_ino)
  }

  borrowing func truncate(to size: Int) throws(Failure) {
    guard ftruncate(descriptor, size) == 0 else { throw Failure(code: errno) }
  }

  /// Sets the room aside that the first `size` bytes will take, without changing what is read.
  borrowing func reserve(_ size: Int) throws(Failure) {
    guard fallocate(descriptor, File.keepingSize, 0, size) == 0 else { throw Failure(code: errno) }
  }

  /// FALLOC_FL_KEEP_SIZE of linux/falloc.h.
  private static let keepingSize: Int32 = 1

  borrowing func synchronize() throws(Failure) {
    guard fsync(descriptor) == 0 else { throw Failure(code: errno) }
  }

  /// Appends all of `bytes`; on failure some of them may have been written.
  borrowing func append(_ bytes: [UInt8]) throws(Failure) {
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        unsafe write(descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written)
      }
      if count < 0 {
        if errno == EINTR { continue }
        throw Failure(code: errno)
      }
      written += count
    }
  }

  /// At most `count` bytes from `offset`; empty at the end.
  borrowing func read(count: Int, at offset: Int) throws(Failure) -> [UInt8] {
    while true {
      var code: Int32 = 0
      let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
        let count = unsafe pread(descriptor, buffer.baseAddress, buffer.count, offset)
        filled = max(count, 0)
        if count < 0 { code = errno }
      }
      if code == 0 { return bytes }
      if code != EINTR { throw Failure(code: code) }
    }
  }
}
