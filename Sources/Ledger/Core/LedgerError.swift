/// The reason for which a call of the ledger failed. No message contains a recorded value.
public indirect enum LedgerError: Error, Hashable, Sendable {
  /// The ledger can't be read or written now. It may work again later.
  case unavailable(reason: String)
  /// A change may have been made or not, and the ledger can't be asked.
  case undecided(reason: String)
  /// The ledger was closed before the call.
  case closed
  /// The file can't be opened at all.
  case cannotOpen(path: String, reason: String)
  /// Another process serves from this file. `processID` is nil if it can't be read.
  case inUse(path: String, processID: Int32?)
  /// The file is an SQLite database of another program.
  case notALedger(path: String)
  /// The ledger was made by a build from before version 1 of the schema.
  case ofEarlierBuild(path: String)
  /// A later release wrote the ledger, with a schema that requires a release that knows schema
  /// `readableFrom` or a later one.
  case tooNew(path: String, found: Int, readableFrom: Int, known: Int)
  /// The ledger must be migrated before this release can read it.
  case tooOld(path: String, found: Int, known: Int)
  /// The target of a transfer has rows of its own in a table.
  case notEmpty(path: String, table: String)
  /// A record can't be understood.
  case unreadable(record: String)
  /// The record to be created exists already. `record` names it, for example `a client acme`.
  case alreadyExists(record: String)
  /// The record to be removed, for example `plan pro`, is in use. `by` names its user.
  case stillUsed(record: String, by: String)
  /// Other servers that share the ledger counted this one as dead and ended its leases.
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
