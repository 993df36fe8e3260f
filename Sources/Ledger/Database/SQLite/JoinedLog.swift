internal import CSQLite
internal import EventLoop
internal import Glibc

/// The files of one connection, whose transactions are appended to the write-ahead log at once.
///
/// SQLite writes each page by two system calls, some forty a commit. Here they wait in
/// `JoinedFrames`. The files are those of the file system below, as it makes them, but for a few of
/// the functions that SQLite calls for the log, and the one by which a transaction ends.
@safe final class JoinedLog {
  /// As SQLite knows it.
  let name: String
  private let cName: UnsafeMutablePointer<CChar>
  private let fileSystem: UnsafeMutablePointer<FileSystem>

  /// A file system, which SQLite calls a VFS. SQLite hands ours the pointer to `interface`, which
  /// comes first.
  @unsafe fileprivate struct FileSystem: ~Copyable {
    var interface: sqlite3_vfs
    let below: UnsafeMutablePointer<sqlite3_vfs>
    var frames: JoinedFrames
    let database: UnsafeMutablePointer<FileFunctions>
    let log: UnsafeMutablePointer<FileFunctions>
  }

  /// The functions of a file. The file has the pointer to `interface`, which comes first.
  @unsafe fileprivate struct FileFunctions {
    var interface = sqlite3_io_methods()
    var below: UnsafePointer<sqlite3_io_methods>?
    var fileSystem: UnsafeMutablePointer<FileSystem>?
  }

  private static let count = Lock(0)

  /// Nil where there is no VFS of that name.
  ///
  /// - Parameter below: what SQLite calls a VFS; nil for the system's own.
  init?(over below: String?) {
    SQLiteLibrary.prepare()
    let number = JoinedLog.count.withLock { count in
      count += 1
      return count
    }
    name = "catraca-joined-\(number)"
    guard let below = unsafe sqlite3_vfs_find(below), let cName = unsafe strdup(name) else {
      return nil
    }
    unsafe self.cName = cName
    // Beside opening files, the file system below does everything, when it is given ours.
    var interface = unsafe below.pointee
    unsafe interface.pNext = nil
    unsafe interface.zName = UnsafePointer(cName)
    unsafe interface.xOpen = unsafe openFile
    unsafe fileSystem = .allocate(capacity: 1)
    unsafe fileSystem.initialize(
      to: FileSystem(
        interface: interface, below: below, frames: JoinedFrames(),
        database: .allocate(capacity: 1), log: .allocate(capacity: 1)))
    unsafe fileSystem.pointee.database.initialize(to: FileFunctions(fileSystem: fileSystem))
    unsafe fileSystem.pointee.log.initialize(to: FileFunctions(fileSystem: fileSystem))
    // It fails without memory alone: then it isn't found when the connection is opened.
    unsafe sqlite3_vfs_register(&fileSystem.pointee.interface, 0)
  }

  deinit {
    unsafe sqlite3_vfs_unregister(&fileSystem.pointee.interface)
    unsafe fileSystem.pointee.database.deallocate()
    unsafe fileSystem.pointee.log.deallocate()
    unsafe fileSystem.deinitialize(count: 1)
    unsafe fileSystem.deallocate()
    unsafe free(cName)
  }
}

// MARK: - What SQLite calls

private typealias FilePointer = UnsafeMutablePointer<sqlite3_file>

private func openFile(
  _ interface: UnsafeMutablePointer<sqlite3_vfs>?, _ path: UnsafePointer<CChar>?,
  _ file: FilePointer?, _ flags: Int32, _ outFlags: UnsafeMutablePointer<Int32>?
) -> Int32 {
  guard let interface = unsafe interface, let file = unsafe file else { return SQLITE_MISUSE }
  let fileSystem = unsafe UnsafeMutableRawPointer(interface)
    .assumingMemoryBound(to: JoinedLog.FileSystem.self)
  let below = unsafe fileSystem.pointee.below
  let status = unsafe below.pointee.xOpen(below, path, file, flags, outFlags)
  guard status == SQLITE_OK, let functions = unsafe file.pointee.pMethods else { return status }
  if flags & SQLITE_OPEN_MAIN_DB != 0 {
    unsafe replaceFunctions(of: file, functions, by: fileSystem.pointee.database) {
      unsafe $0.xShmLock = unsafe lockIndex
    }
  } else if flags & SQLITE_OPEN_WAL != 0 {
    unsafe replaceFunctions(of: file, functions, by: fileSystem.pointee.log) {
      unsafe $0.xWrite = unsafe writeLog
      unsafe $0.xRead = { file, bytes, count, offset in
        unsafe afterWaiting(file) { unsafe $1.xRead($0, bytes, count, offset) }
      }
      unsafe $0.xSync = { file, flags in
        unsafe afterWaiting(file) { unsafe $1.xSync($0, flags) }
      }
      unsafe $0.xTruncate = { file, size in
        unsafe afterWaiting(file) { unsafe $1.xTruncate($0, size) }
      }
      unsafe $0.xFileSize = { file, size in
        unsafe afterWaiting(file) { unsafe $1.xFileSize($0, size) }
      }
    }
  }
  return SQLITE_OK
}

private func replaceFunctions(
  of file: FilePointer, _ below: UnsafePointer<sqlite3_io_methods>,
  by functions: UnsafeMutablePointer<JoinedLog.FileFunctions>,
  _ change: (inout sqlite3_io_methods) -> Void
) {
  unsafe functions.pointee.interface = below.pointee
  unsafe functions.pointee.below = below
  unsafe change(&functions.pointee.interface)
  unsafe file.pointee.pMethods = UnsafeRawPointer(functions)
    .assumingMemoryBound(to: sqlite3_io_methods.self)
}

/// A transaction ends, however it does, when its connection gives the lock back that the index has
/// for writers: its first.
private func lockIndex(
  _ file: FilePointer?, _ first: Int32, _ count: Int32, _ flags: Int32
) -> Int32 {
  unsafe with(file) { file, below, frames in
    if first == 0, flags == SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE { frames.forgetTransaction() }
    return unsafe below.xShmLock(file, first, count, flags)
  }
}

private func writeLog(
  _ file: FilePointer?, _ bytes: UnsafeRawPointer?, _ count: Int32, _ offset: Int64
) -> Int32 {
  unsafe with(file) { file, below, frames in
    let bytes = unsafe UnsafeRawBufferPointer(start: bytes, count: Int(count))
    return unsafe frames.write(bytes, at: offset) { bytes, offset in
      unsafe below.xWrite(file, bytes.baseAddress, Int32(bytes.count), offset)
    }
  }
}

/// Does something with the log that nothing may wait for.
private func afterWaiting(
  _ file: FilePointer?, _ body: (FilePointer, sqlite3_io_methods) -> Int32
) -> Int32 {
  unsafe with(file) { file, below, frames in
    let status = unsafe frames.writeWaiting { bytes, offset in
      unsafe below.xWrite(file, bytes.baseAddress, Int32(bytes.count), offset)
    }
    return status == SQLITE_OK ? unsafe body(file, below) : status
  }
}

/// Does something with a file whose functions were replaced.
private func with(
  _ file: FilePointer?, _ body: (FilePointer, sqlite3_io_methods, inout JoinedFrames) -> Int32
) -> Int32 {
  guard let file = unsafe file, let interface = unsafe file.pointee.pMethods else {
    return SQLITE_MISUSE
  }
  let functions = unsafe UnsafeRawPointer(interface)
    .assumingMemoryBound(to: JoinedLog.FileFunctions.self)
  guard let below = unsafe functions.pointee.below,
    let fileSystem = unsafe functions.pointee.fileSystem
  else { return SQLITE_MISUSE }
  return unsafe body(file, below.pointee, &fileSystem.pointee.frames)
}
