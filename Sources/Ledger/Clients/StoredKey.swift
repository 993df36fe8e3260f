internal import JSON
public import Pricing
public import Time

/// A virtual key that no file declares, as `api_keys` records it.
public struct StoredKey: Hashable, Sendable {
  public enum Status: String, Sendable, Hashable, CaseIterable {
    case active
    case expired
    case revoked
  }

  public var clientID: String
  public var name: String
  /// The SHA-256 of the whole key, as 64 lower-case hexadecimal digits.
  public var sha256: String
  /// Patterns of the models that the key may use; nil for all models.
  public var models: [String]?
  /// The operations that the key may use; nil for all operations.
  public var operations: [Operation]?
  public var expiresAt: Timestamp?
  public var requestsPerMinute: Int64?
  public var tokensPerMinute: Int64?
  /// The digest before the latest rotation, which works until `previousExpiresAt`.
  public var previousSHA256: String?
  public var previousExpiresAt: Timestamp?
  public var createdAt: Timestamp
  public var updatedAt: Timestamp
  public var revokedAt: Timestamp?

  public init(
    clientID: String, name: String, sha256: String, models: [String]? = nil,
    operations: [Operation]? = nil, expiresAt: Timestamp? = nil,
    requestsPerMinute: Int64? = nil, tokensPerMinute: Int64? = nil, createdAt: Timestamp
  ) {
    self.clientID = clientID
    self.name = name
    self.sha256 = sha256
    self.models = models
    self.operations = operations
    self.expiresAt = expiresAt
    self.requestsPerMinute = requestsPerMinute
    self.tokensPerMinute = tokensPerMinute
    self.createdAt = createdAt
    self.updatedAt = createdAt
  }

  /// The first 12 digits of the digest, which may be shown publicly.
  public var fingerprint: String { String(sha256.prefix(12)) }

  public func status(at now: Timestamp) -> Status {
    if revokedAt != nil { return .revoked }
    return expiresAt.map { $0 <= now } ?? false ? .expired : .active
  }
}

extension StoredKey: TableRecord {
  static let table = RecordTable<StoredKey>(
    "api_keys", key: ["client_id", "name"], where: "revoked_at IS NULL",
    order: ["client_id", "name", "id"], ifUnreadable: .isLeftOut,
    blank: StoredKey(
      clientID: "", name: "", sha256: "", createdAt: Timestamp(milliseconds: 0)),
    title: { "key \($0.name) of client \($0.clientID)" },
    columns: [
      RecordColumn("client_id", \.clientID),
      RecordColumn("name", \.name),
      RecordColumn("sha256", \.sha256),
      RecordColumn("models", \.models),
      RecordColumn("operations", \.operations),
      RecordColumn("expires_at", \.expiresAt),
      RecordColumn("requests_per_minute", \.requestsPerMinute),
      RecordColumn("tokens_per_minute", \.tokensPerMinute),
      RecordColumn("previous_sha256", \.previousSHA256),
      RecordColumn("previous_expires_at", \.previousExpiresAt),
      RecordColumn("created_at", \.createdAt),
      RecordColumn("updated_at", \.updatedAt),
      RecordColumn("revoked_at", \.revokedAt),
    ])
}

extension StoredKey: AdministeredRecord {
  var auditTarget: String { "key:\(clientID)/\(name)" }
  var auditedClient: String? { clientID }

  func writeAudited(to object: inout JSONWriter) {
    object.member("client_id", clientID)
    object.member("name", name)
    // The digest stays out.
    object.member("fingerprint", fingerprint)
    object.member("models") { $0.strings(models) }
    object.member("operations") { $0.strings(operations?.map(\.rawValue)) }
    object.member("expires_at", expiresAt?.rfc3339)
    object.member("requests_per_minute") { $0.optional(requestsPerMinute) }
    object.member("tokens_per_minute") { $0.optional(tokensPerMinute) }
    object.member("previous_expires_at", previousExpiresAt?.rfc3339)
  }
}

extension LedgerReader {
  /// Returns all keys of a client that no file declares, including revoked ones, by name.
  /// - Throws: `LedgerError` if the database can't be read.
  public func storedKeys(ofClient clientID: String) throws(LedgerError) -> [StoredKey] {
    let select = try connection.prepare(
      "SELECT * FROM api_keys WHERE client_id = ? ORDER BY name, id")
    select.bind(clientID)
    return try connection.read(select)
  }

  /// Returns the admission time of a key's latest request since `start`; nil for none.
  /// - Throws: `LedgerError` if the database can't be read.
  public func latestUse(
    ofKey name: String, ofClient clientID: String, since start: Timestamp
  ) throws(LedgerError) -> Timestamp? {
    let select = try connection.prepare(
      """
      SELECT created_at FROM usage_logs
      WHERE client_id = ?1 AND key_name = ?2 AND created_at >= ?3
      ORDER BY created_at DESC LIMIT 1
      """)
    defer { select.reset() }
    select.bind(clientID, name, start.rfc3339)
    return try select.step() ? select.text(0).flatMap { Timestamp(rfc3339: $0) } : nil
  }
}
