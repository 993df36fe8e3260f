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
  let clients: ClientStore
  let auditLog: AuditLogStore
  let budgets: StoredBudgetStore
  let controls: BudgetControlStore
  let plans: PlanStore
  let subscriptions: SubscriptionStore
  let credits: CreditStore
  let author: Author
  private let keys: KeyStore

  /// How long a change waits for a server that commits.
  private static let busyTimeoutMilliseconds: Int32 = 5_000

  /// Opens the ledger; makes it, and brings it to the newest schema, where no server has yet.
  ///
  /// - Throws: `cannotOpen`, `notALedger`, `tooNew`, or `inUse` if a server of an earlier release
  ///   is running.
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
    clients = ClientStore(connection)
    keys = KeyStore(connection)
    auditLog = AuditLogStore(connection)
    budgets = StoredBudgetStore(connection)
    controls = BudgetControlStore(connection)
    plans = PlanStore(connection)
    subscriptions = SubscriptionStore(connection)
    credits = CreditStore(connection)
    self.author = author
  }

  /// As `LedgerReader.expectAnswers`.
  public func expectAnswers(within patience: Duration) {
    connection.expectAnswers(within: patience)
  }

  // MARK: Clients

  /// - Throws: `alreadyExists` if the client exists or was deleted; another `LedgerError` if the
  ///   ledger can't be written.
  public func create(_ client: StoredClient) throws(LedgerError) {
    try connection.edit { () throws(LedgerError) in
      if try clients.find(client.id) != nil {
        throw .alreadyExists(record: "a client \(client.id)")
      }
      if try clients.isDeleted(client.id) {
        throw .alreadyExists(
          record: "a deleted client \(client.id), and ids are never used again")
      }
      try clients.insert(client)
      try record("client.create", client.id, before: nil, after: client)
    }
  }

  /// Suspends or resumes a client.
  ///
  /// - Throws: `notFound` if there is no such client; another `LedgerError` if the ledger can't be
  ///   written.
  public func setStatus(
    _ status: StoredClient.Status, ofClient id: String
  ) throws(LedgerError) -> StoredClient {
    try updateClient(id) { $0.status = status }
  }

  /// Changes anything of a client but its id.
  ///
  /// - Throws: `notFound` if there is no such client; another `LedgerError` if the ledger can't be
  ///   written.
  public func updateClient(
    _ id: String, _ change: (inout StoredClient) -> Void
  ) throws(LedgerError) -> StoredClient {
    try connection.edit { () throws(LedgerError) in
      let before = try existingClient(id)
      var after = before
      change(&after)
      after.updatedAt = author.now
      try clients.update(after)
      try record("client.update", id, before: before, after: after)
      return after
    }
  }

  /// Deletes a client, revokes its keys and ends its subscription. Its rows stay.
  ///
  /// - Throws: `notFound` if there is no such client; another `LedgerError` if the ledger can't be
  ///   written.
  public func deleteClient(_ id: String) throws(LedgerError) {
    try connection.edit { () throws(LedgerError) in
      let client = try existingClient(id)
      for key in try keys.all(of: id, includingRevoked: false) { try revoke(key) }
      if let subscription = try subscriptions.find(id) { try end(subscription) }
      try clients.delete(id, at: author.now)
      try record("client.delete", id, before: client, after: nil)
    }
  }

  private func existingClient(_ id: String) throws(LedgerError) -> StoredClient {
    guard let client = try clients.find(id) else { throw .notFound(record: "client \(id)") }
    return client
  }

  // MARK: Keys

  /// Adds a key to a client, which may be one that a file declares: whether it is there is for
  /// the caller to know.
  ///
  /// - Throws: `notFound` if the client was deleted, and `alreadyExists` if it has a key of that
  ///   name that isn't revoked; another `LedgerError` if the ledger can't be written.
  public func create(_ key: StoredKey) throws(LedgerError) {
    try connection.edit { () throws(LedgerError) in
      if try clients.isDeleted(key.clientID) {
        throw .notFound(record: "client \(key.clientID): it was deleted")
      }
      if try keys.find(key.name, of: key.clientID) != nil {
        throw .alreadyExists(record: "a key \(key.name) of client \(key.clientID)")
      }
      try keys.insert(key)
      try record("key.create", key, before: nil, after: key)
    }
  }

  /// Changes what a key may do.
  ///
  /// - Throws: `notFound` if there is no such key; another `LedgerError` if the ledger can't be
  ///   written.
  public func updateKey(
    _ name: String, ofClient clientID: String, _ change: (inout StoredKey) -> Void
  ) throws(LedgerError) -> StoredKey {
    try connection.edit { () throws(LedgerError) in
      let before = try existingKey(name, of: clientID)
      var after = before
      change(&after)
      after.updatedAt = author.now
      try keys.update(after)
      try record("key.update", after, before: before, after: after)
      return after
    }
  }

  /// Revokes a key at once, its former digest included.
  ///
  /// - Throws: `notFound` if there is no such key; another `LedgerError` if the ledger can't be
  ///   written.
  public func revokeKey(_ name: String, ofClient clientID: String) throws(LedgerError) {
    try connection.edit { () throws(LedgerError) in
      try revoke(try existingKey(name, of: clientID))
    }
  }

  /// Gives a key another digest; the one it has works on for `overlap`, at least 0, and the one
  /// before that no more.
  ///
  /// - Throws: `notFound` if there is no such key; another `LedgerError` if the ledger can't be
  ///   written.
  public func rotateKey(
    _ name: String, ofClient clientID: String, to sha256: String, overlap: Duration
  ) throws(LedgerError) -> StoredKey {
    try connection.edit { () throws(LedgerError) in
      let before = try existingKey(name, of: clientID)
      try keys.rotate(
        before, to: sha256, previousExpiresAt: author.now.advanced(by: overlap), at: author.now)
      let after = try existingKey(name, of: clientID)
      try record("key.rotate", after, before: before, after: after)
      return after
    }
  }

  private func revoke(_ key: StoredKey) throws(LedgerError) {
    try keys.revoke(key.name, of: key.clientID, at: author.now)
    try record("key.delete", key, before: key, after: nil)
  }

  private func existingKey(_ name: String, of clientID: String) throws(LedgerError) -> StoredKey {
    guard let key = try keys.find(name, of: clientID) else {
      throw .notFound(record: "key \(name) of client \(clientID)")
    }
    return key
  }

  // MARK: Admin tokens

  /// Keeps the digest of an admin token, 64 hexadecimal digits; false where there is one of that
  /// name already.
  ///
  /// - Throws: `LedgerError` if the ledger can't be written.
  public func addAdminToken(_ name: String, sha256: String) throws(LedgerError) -> Bool {
    try AdminTokenStore(connection).insert(name, sha256: sha256, at: author.now)
  }

  // MARK: Configuration files

  /// Lets servers take over configuration files with this digest, 64 hexadecimal digits, whatever
  /// they lack.
  ///
  /// - Throws: `LedgerError` if the ledger can't be written.
  public func acceptConfiguration(_ digest: String) throws(LedgerError) {
    try connection.edit { () throws(LedgerError) in
      try auditLog.append(
        AuditEntry(
          actor: author.actor, action: AuditEntry.acceptsConfiguration,
          target: AuditEntry.configuration(digest), clientID: nil, before: nil, after: nil,
          createdAt: author.now))
    }
  }

  // MARK: The audit log

  private func record(
    _ action: String, _ id: String, before: StoredClient?, after: StoredClient?
  ) throws(LedgerError) {
    try auditLog.append(
      AuditEntry(
        actor: author.actor, action: action, target: "client:\(id)", clientID: id,
        before: before?.auditObject, after: after?.auditObject, createdAt: author.now))
  }

  private func record(
    _ action: String, _ key: StoredKey, before: StoredKey?, after: StoredKey?
  ) throws(LedgerError) {
    try auditLog.append(
      AuditEntry(
        actor: author.actor, action: action, target: "key:\(key.clientID)/\(key.name)",
        clientID: key.clientID, before: before?.auditObject, after: after?.auditObject,
        createdAt: author.now))
  }
}
