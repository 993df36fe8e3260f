public import Time

/// Changes what administrators make outside of files, also while a server writes to the ledger;
/// for one thread at a time.
///
/// Every change is one transaction with its entry in `audit_log`. All calls block; beside what
/// they say, they throw `unavailable` and `unreadable`.
public final class LedgerEditor {
  /// The author of changes, and their time.
  public struct Author: Hashable, Sendable {
    /// For the audit log, such as `cli:alice`.
    public var actor: String
    public var now: Timestamp

    public init(actor: String, now: Timestamp) {
      self.actor = actor
      self.now = now
    }
  }

  let connection: DatabaseConnection
  let auditLog: AuditLogStore
  let author: Author

  /// How long a change waits for a server that commits.
  private static let busyTimeoutMilliseconds: Int32 = 5_000

  /// Opens the ledger; makes it, and brings it to the newest schema, where no server has yet.
  ///
  /// Throws `cannotOpen`, `notALedger`, `tooNew`, and `inUse` where a server of an earlier
  /// release is running.
  public convenience init(at location: LedgerLocation, author: Author) throws(LedgerError) {
    try self.init(at: location, author: author, fileSystem: nil)
  }

  /// - Parameter fileSystem: as in `ServerLedger.Options`.
  package init(at location: LedgerLocation, author: Author, fileSystem: String?) throws(LedgerError)
  {
    connection = try DatabaseConnection(
      location, access: .readWrite,
      busyTimeoutMilliseconds: LedgerEditor.busyTimeoutMilliseconds, fileSystem: fileSystem,
      isBorrowed: true)
    do {
      try DatabaseSchema.check(connection, at: location)
    } catch .tooOld {
      _ = try ServerLedger.migrate(at: location)
    }
    auditLog = AuditLogStore(connection)
    self.author = author
  }

  /// As `LedgerReader.expectAnswers`.
  public func expectAnswers(within patience: Duration) {
    connection.expectAnswers(within: patience)
  }

  /// Lets servers take over configuration files with this digest, 64 hexadecimal digits, whatever
  /// they lack.
  /// - Throws: `LedgerError` if the database can't be written.
  public func acceptConfiguration(_ digest: String) throws(LedgerError) {
    try connection.edit { () throws(LedgerError) in
      try record(
        AuditEntry.acceptsConfiguration, of: AuditEntry.configuration(digest), client: nil)
    }
  }
}
