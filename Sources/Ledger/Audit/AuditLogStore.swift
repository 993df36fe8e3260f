internal import Time

/// Writes `audit_log`: administrative changes and their actors. Rows are only ever appended.
struct AuditLogStore {
  private let connection: DatabaseConnection

  init(_ connection: DatabaseConnection) {
    self.connection = connection
  }

  func append(_ entry: AuditEntry) throws(LedgerError) {
    let insert = try connection.prepare(AuditLogStore.insertEntry)
    try insert.run(
      entry.actor, entry.action, entry.target, entry.clientID, entry.before, entry.after,
      entry.createdAt.rfc3339)
    try connection.notify(ReplicaKeeper.Channel.changed)
  }

  private static let insertEntry = """
    INSERT INTO audit_log (actor, action, target, client_id, before, after, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    """
}

/// One change, as `audit_log` records it. It never contains a secret.
struct AuditEntry {
  /// The actor, for example `cli:alice`.
  var actor: String
  /// The action, for example `key.rotate`.
  var action: String
  /// The changed object, for example `key:acme/web`.
  var target: String
  /// The affected client; nil if the change concerns no single client.
  var clientID: String?
  /// The object before the change, as JSON; nil if it didn't exist.
  var before: String?
  var after: String?
  var createdAt: Timestamp

  /// The action that accepts configuration files with far fewer declarations than those in force.
  static let acceptsConfiguration = "configuration.accept"

  /// Returns the target of that action.
  static func configuration(_ digest: String) -> String { "configuration:\(digest)" }
}
