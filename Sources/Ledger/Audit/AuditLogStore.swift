internal import JSON
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

/// A record whose changes are written to the audit log.
protocol AuditedRecord {
  /// The record's name in the audit log, for example `key:acme/web`.
  var auditTarget: String { get }
  /// The affected client; nil if a change concerns no single client.
  var auditedClient: String? { get }
  /// Writes the record's members, without secrets.
  func writeAudited(to object: inout JSONWriter)
}

extension AuditedRecord {
  fileprivate var auditObject: String {
    var writer = JSONWriter()
    writer.object { writeAudited(to: &$0) }
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

/// A record that administrators create and change.
protocol AdministeredRecord: TableRecord, AuditedRecord {
  var updatedAt: Timestamp { get set }
}

extension LedgerEditor {
  /// Writes a change of a record to the audit log. `before` is nil for a new record, `after` for a
  /// removed one.
  func record<Record: AuditedRecord>(
    _ action: String, before: Record?, after: Record?
  ) throws(LedgerError) {
    guard let changed = after ?? before else { return }
    try record(
      action, of: changed.auditTarget, client: changed.auditedClient, before: before?.auditObject,
      after: after?.auditObject)
  }

  func record(
    _ action: String, of target: String, client: String?, before: String? = nil,
    after: String? = nil
  ) throws(LedgerError) {
    try auditLog.append(
      AuditEntry(
        actor: author.actor, action: action, target: target, clientID: client, before: before,
        after: after, createdAt: author.now))
  }

  /// Changes any property of a record except its key, and writes the change to the audit log.
  func update<Record: AdministeredRecord>(
    _ before: Record, _ action: String, _ change: (inout Record) -> Void
  ) throws(LedgerError) -> Record {
    var after = before
    change(&after)
    after.updatedAt = author.now
    try connection.update(after)
    try record(action, before: before, after: after)
    return after
  }
}
