internal import Time

/// `audit_log`: who changed what. Only ever appended to.
struct AuditLogStore {
  private let connection: DatabaseConnection

  init(_ connection: DatabaseConnection) {
    self.connection = connection
  }

  func append(_ entry: AuditEntry) throws(LedgerError) {
    let insert = try connection.prepare(AuditLogStore.insertEntry)
    insert.bind(entry.actor, at: 1)
    insert.bind(entry.action, at: 2)
    insert.bind(entry.target, at: 3)
    insert.bind(entry.clientID, at: 4)
    insert.bind(entry.before, at: 5)
    insert.bind(entry.after, at: 6)
    insert.bind(entry.createdAt.rfc3339, at: 7)
    try insert.run()
    try connection.notify(ReplicaKeeper.Channel.changed)
  }

  private static let insertEntry = """
    INSERT INTO audit_log (actor, action, target, client_id, before, after, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    """
}

/// One change, as `audit_log` records it. No secret is ever in it.
struct AuditEntry {
  /// Such as `cli:alice`.
  var actor: String
  /// Such as `key.rotate`.
  var action: String
  /// Such as `key:acme/web`.
  var target: String
  /// Nil where it concerns no client more than others.
  var clientID: String?
  /// JSON objects; nil where there was or is nothing.
  var before: String?
  var after: String?
  var createdAt: Timestamp

  /// The action that accepts configuration files which declare much less than those in force.
  static let acceptsConfiguration = "configuration.accept"

  /// The target of that action.
  static func configuration(_ digest: String) -> String { "configuration:\(digest)" }
}
