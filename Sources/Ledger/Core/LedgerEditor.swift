public import Time

/// Makes administrators' changes to records that no file declares. It works while a server writes
/// to the ledger. One thread may use it at a time.
///
/// Each change is one transaction with its entry in `audit_log`. All calls block. Besides the
/// errors that they name, they throw `LedgerError.unavailable` and `LedgerError.unreadable`.
public final class LedgerEditor {
  /// The author of changes, and their time.
  public struct Author: Hashable, Sendable {
    /// The author's name in the audit log, for example `cli:alice`.
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

  /// The longest time that a change waits for a server that commits.
  private static let busyTimeoutMilliseconds: Int32 = 5_000

  /// Opens the ledger. If no server has done so yet, creates it and brings it to the newest schema.
  /// - Throws: `LedgerError.cannotOpen`, `notALedger` or `tooNew`; `inUse` if a server of an
  ///   earlier release is running.
  public convenience init(at location: LedgerLocation, author: Author) throws(LedgerError) {
    try self.init(at: location, author: author, fileSystem: nil)
  }

  /// - Parameter fileSystem: As in `ServerLedger.Options`.
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

  /// Sets the longest silence of a database on another machine, as `LedgerReader.expectAnswers`
  /// does.
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
