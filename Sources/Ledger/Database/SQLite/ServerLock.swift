internal import Glibc

/// The right to serve from one ledger file, held by at most one process at a time.
///
/// It is an advisory lock on a file of its own next to the ledger, so that readers and
/// administrative commands can open the ledger meanwhile. The system ends it with the process,
/// however that dies.
///
/// A database of several servers needs none.
struct ServerLock: ~Copyable {
  private let file: File?

  static func path(forLedgerAt path: String) -> String { path + ".lock" }

  init(of location: LedgerLocation) throws(LedgerError) {
    switch location {
    case .sqlite(let path): file = try ServerLock.lockedFile(path)
    case .postgresql: file = nil
    }
  }

  private static func lockedFile(_ ledgerPath: String) throws(LedgerError) -> File {
    let path = ServerLock.path(forLedgerAt: ledgerPath)
    let file = try orCannotOpen(path) { () throws(File.Failure) in try File(path: path) }
    guard file.lock() else {
      throw .inUse(path: ledgerPath, processID: holder(in: file))
    }
    try orCannotOpen(path) { () throws(File.Failure) in
      try file.truncate(to: 0)
      try file.append(Array("\(getpid())\n".utf8))
    }
    return file
  }

  private static func orCannotOpen<Answer: ~Copyable>(
    _ path: String, _ body: () throws(File.Failure) -> Answer
  ) throws(LedgerError) -> Answer {
    do {
      return try body()
    } catch {
      throw .cannotOpen(path: path, reason: error.reason)
    }
  }

  /// The process id that the holder wrote; only for the message, so unreadable is unknown.
  private static func holder(in file: borrowing File) -> Int32? {
    guard let bytes = try? file.read(count: 20, at: 0) else { return nil }
    return Int32(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
  }
}
