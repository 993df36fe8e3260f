internal import CSQLite
internal import Glibc

/// A connection to an SQLite database. One thread owns it at a time.
@safe final class SQLiteConnection {
  private let handle: OpaquePointer
  /// Written by SQLite at each commit of this connection, within the call that commits.
  private let committedFrames: UnsafeMutablePointer<Int32>
  /// Let go after the handle. Nil where it writes as SQLite does.
  private let joinedLog: JoinedLog?

  /// Opens the file at `path`, and creates it when writing is asked for.
  ///
  /// - Parameters:
  ///   - fileSystem: what SQLite calls a VFS; nil for the system's own.
  ///   - joinsLog: whether it commits often, see `JoinedLog`.
  init(
    path: String, access: DatabaseConnection.Access, busyTimeoutMilliseconds: Int32,
    fileSystem: String? = nil, joinsLog: Bool = false
  ) throws(LedgerError) {
    SQLiteLibrary.prepare()
    joinedLog = joinsLog ? JoinedLog(over: fileSystem) : nil
    // NOMUTEX: SQLite's own locks are not needed where one thread at a time owns the handle.
    let flags =
      switch access {
      case .readWrite: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
      case .readOnly: SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX
      }
    if case .readWrite = access { SQLiteConnection.createPrivately(path) }
    var opened: OpaquePointer?
    let status = unsafe sqlite3_open_v2(path, &opened, flags, joinedLog?.name ?? fileSystem)
    guard status == SQLITE_OK, let handle = unsafe opened else {
      unsafe sqlite3_close_v2(opened)
      throw .cannotOpen(path: path, reason: SQLiteConnection.explanation(of: status))
    }
    unsafe self.handle = handle
    unsafe committedFrames = .allocate(capacity: 1)
    unsafe committedFrames.initialize(to: 0)
    unsafe sqlite3_extended_result_codes(handle, 1)
    setBusyTimeout(milliseconds: busyTimeoutMilliseconds)
  }

  /// Sets the longest time that a statement waits for another connection's lock.
  func setBusyTimeout(milliseconds: Int32) {
    unsafe sqlite3_busy_timeout(handle, milliseconds)
  }

  /// Makes a new file readable by its owner alone, as SQLite itself wouldn't: it says who asked
  /// what and when. SQLite gives its side files the same permissions, and says what is wrong if the
  /// file can't be made.
  private static func createPrivately(_ path: String) {
    let descriptor = unsafe Glibc.open(path, O_CREAT | O_EXCL | O_CLOEXEC | O_WRONLY, 0o600)
    if descriptor >= 0 { Glibc.close(descriptor) }
  }

  deinit {
    // The second form waits for statements that are still alive.
    unsafe sqlite3_close_v2(handle)
    unsafe committedFrames.deallocate()
  }

  /// From now on the write-ahead log is copied into the file when `copyLog` is called, and never
  /// in a commit.
  func takeOverLog() {
    unsafe sqlite3_wal_hook(
      handle,
      { frames, _, _, count in
        unsafe frames?.assumingMemoryBound(to: Int32.self).pointee = count
        return SQLITE_OK
      }, committedFrames)
  }

  /// How many frames the write-ahead log had after the last commit, once it was taken over.
  var logFrames: Int { unsafe Int(committedFrames.pointee) }

  /// Copies of the write-ahead log what no reader stands in the way of.
  ///
  /// - Returns: How far that has come; nil where another connection is copying, or the disk fails.
  func copyLog() -> LogProgress? {
    var (frames, copied): (Int32, Int32) = (0, 0)
    let status = unsafe sqlite3_wal_checkpoint_v2(
      handle, nil, SQLITE_CHECKPOINT_PASSIVE, &frames, &copied)
    guard status == SQLITE_OK else { return nil }
    return LogProgress(frames: Int(frames), copied: Int(copied))
  }

  /// Runs statements without parameters and without results.
  func execute(_ sql: String) throws(LedgerError) {
    let status = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    guard status == SQLITE_OK else { throw failure(status) }
  }

  /// Prepares a statement that can be run many times.
  func prepare(_ sql: String) throws(LedgerError) -> SQLiteStatement {
    var prepared: OpaquePointer?
    let status = unsafe sqlite3_prepare_v3(
      handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard status == SQLITE_OK, let statement = unsafe prepared else { throw failure(status) }
    return unsafe SQLiteStatement(owning: statement, of: self)
  }

  /// The number of rows that the last statement inserted, changed or deleted.
  var changes: Int { unsafe Int(sqlite3_changes64(handle)) }

  var lastInsertedID: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

  /// Waits until what was written to the file is on the disk; false where the disk fails.
  func synchronizeFile() -> Bool {
    unsafe catraca_sqlite3_synchronize(handle) == SQLITE_OK
  }

  /// Waits until the write-ahead log is on the disk, whoever wrote it.
  func synchronizeLog() throws(LedgerError) {
    let status = unsafe catraca_sqlite3_synchronize_log(handle)
    guard status == SQLITE_OK else { throw failure(status) }
  }

  /// Rolls back a transaction that failed.
  func rollBack() {
    // SQLite has rolled back by itself after some errors (a full disk, for one); a second
    // ROLLBACK would only say that there is nothing to roll back.
    if unsafe sqlite3_get_autocommit(handle) == 0 {
      unsafe sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
    }
  }

  /// The meaning of `status`, without any bound value.
  func failure(_ status: Int32) -> LedgerError {
    .unavailable(reason: SQLiteConnection.explanation(of: status))
  }

  private static func explanation(of status: Int32) -> String {
    let text = unsafe sqlite3_errstr(status).map { unsafe String(cString: $0) }
    return "\(text ?? "unknown error") (SQLite code \(status))"
  }
}

/// Process-wide setup of SQLite.
package enum SQLiteLibrary {
  /// Must come before SQLite is asked for anything else; only the first call does something.
  ///
  /// SQLite would count the bytes it has allocated, under one lock for all threads at each
  /// allocation, for figures that nobody reads. Where it is in use already, it goes on doing so.
  package static func prepare() { _ = status }

  private static let status = catraca_sqlite3_disable_memory_status()
}
