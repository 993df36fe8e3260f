/// Why the ledger could not do what was asked. No message carries a recorded value.
public indirect enum LedgerError: Error, Hashable, Sendable {
  /// It can't be written or read now; it may work again later.
  case unavailable(reason: String)
  /// It could not be asked whether it has made a change that it was told to make.
  case undecided(reason: String)
  /// It was closed before.
  case closed
  /// The file can't be opened at all.
  case cannotOpen(path: String, reason: String)
  /// Another process serves from this file; its process id, where it could be read.
  case inUse(path: String, processID: Int32?)
  /// The file is an SQLite database of another program.
  case notALedger(path: String)
  /// The ledger was made by a build from before version 1 of the schema.
  case ofEarlierBuild(path: String)
  /// The ledger was written by a later release than this one, with a schema that only servers of
  /// `readableFrom` and later can work with.
  case tooNew(path: String, found: Int, readableFrom: Int, known: Int)
  /// The file needs migrations before it can be read.
  case tooOld(path: String, found: Int, known: Int)
  /// The database, which is to be filled from another, has rows of its own in a table.
  case notEmpty(path: String, table: String)
  /// A record can't be understood.
  case unreadable(record: String)
  /// The record to be made exists already. `record` names it with the reason, such as `client
  /// acme`.
  case alreadyExists(record: String)
  /// The record to be removed, such as `plan pro`, is in use. `by` names its user.
  case stillUsed(record: String, by: String)
  /// Other servers that share the ledger have taken this one for dead, and ended its leases.
  case takenForDead
  /// The record to be changed doesn't exist.
  case notFound(record: String)
}

extension LedgerError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unavailable(let reason):
      "the ledger is unavailable: \(reason)"
    case .undecided(let reason):
      "whether the ledger has made the change isn't known: \(reason)"
    case .closed:
      "the ledger is closed"
    case .cannotOpen(let path, let reason):
      "\(path): cannot be opened as a ledger: \(reason)"
    case .inUse(let path, let processID):
      "\(path): another catraca \(processID.map { "(process \($0)) " } ?? "")serves from this"
        + " ledger; an SQLite ledger is for one server, several share a PostgreSQL one"
    case .notALedger(let path):
      "\(path): is a database of another program; name a new file or a ledger of catraca"
    case .ofEarlierBuild(let path):
      "\(path): was made by a build before version 1 of the ledger's schema, which no release"
        + " reads; name a new file, an empty database or a ledger of version 1 or later"
    case .tooNew(let path, let found, let readableFrom, let known):
      "\(path): has schema \(found), which releases with schema \(readableFrom) or later can work"
        + " with, this one has \(known); run the release that wrote it, or a later one"
    case .tooOld(let path, let found, let known):
      "\(path): has schema \(found), this release reads schema \(known);"
        + " run `catraca migrate` or start the server once"
    case .notEmpty(let path, let table):
      "\(path): has rows of its own in \(table); name an empty database, or one that an interrupted"
        + " migration of the same ledger has begun to fill"
    case .unreadable(let record):
      "\(record) can't be read"
    case .alreadyExists(let record):
      "there is already \(record)"
    case .stillUsed(let record, let user):
      "\(record) is used by \(user)"
    case .takenForDead:
      "the other servers on this ledger have taken this one for dead, since it was silent for"
        + " \(Heartbeat.silenceOfTheDead.components.seconds) s"
    case .notFound(let record):
      "there is no \(record)"
    }
  }
}
