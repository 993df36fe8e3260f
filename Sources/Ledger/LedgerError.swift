/// Why the ledger could not do what was asked. No message carries a recorded value.
public enum LedgerError: Error, Hashable, Sendable {
  /// It can't be written or read now; it may work again later.
  case unavailable(reason: String)
  /// It was closed before.
  case closed
  /// The file can't be opened at all.
  case cannotOpen(path: String, reason: String)
  /// Another process serves from this file; its process id, where it could be read.
  case inUse(path: String, processID: Int32?)
  /// The file is an SQLite database of another program.
  case notALedger(path: String)
  /// The file was written by a later release than this one.
  case tooNew(path: String, found: Int, known: Int)
  /// The file needs migrations before it can be read.
  case tooOld(path: String, found: Int, known: Int)
  /// A record can't be understood.
  case unreadable(record: String)
  /// What should be made is there already, such as `client acme`, and why that forbids it.
  case alreadyExists(record: String)
  /// What should be removed is used, such as `plan pro`, and by whom.
  case stillUsed(record: String, by: String)
  /// What should be changed isn't there.
  case notFound(record: String)
}

extension LedgerError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unavailable(let reason):
      "the ledger is unavailable: \(reason)"
    case .closed:
      "the ledger is closed"
    case .cannotOpen(let path, let reason):
      "\(path): cannot be opened as a ledger: \(reason)"
    case .inUse(let path, let processID):
      "\(path): another catraca \(processID.map { "(process \($0)) " } ?? "")serves from this"
        + " ledger; an SQLite ledger is for one server, several share a PostgreSQL one"
    case .notALedger(let path):
      "\(path): is a database of another program; name a new file or a ledger of catraca"
    case .tooNew(let path, let found, let known):
      "\(path): has schema \(found), this release knows schemas up to \(known);"
        + " run the release that wrote it, or a later one"
    case .tooOld(let path, let found, let known):
      "\(path): has schema \(found), this release reads schema \(known);"
        + " run `catraca migrate` or start the server once"
    case .unreadable(let record):
      "\(record) can't be read"
    case .alreadyExists(let record):
      "there is already \(record)"
    case .stillUsed(let record, let user):
      "\(record) is used by \(user)"
    case .notFound(let record):
      "there is no \(record)"
    }
  }
}
