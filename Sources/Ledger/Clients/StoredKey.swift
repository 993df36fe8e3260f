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

/// Writes and reads a key's fields with the names of `api_keys`, in the order of its columns.
extension StoredKey {
  func write(to fields: inout some FieldWriter) {
    fields.write("client_id", clientID)
    fields.write("name", name)
    fields.write("sha256", sha256)
    fields.write("models", models.map(StoredKey.jsonArray))
    fields.write("operations", operations.map { StoredKey.jsonArray($0.map(\.rawValue)) })
    fields.write("expires_at", expiresAt?.rfc3339)
    fields.write("requests_per_minute", requestsPerMinute)
    fields.write("tokens_per_minute", tokensPerMinute)
    fields.write("previous_sha256", previousSHA256)
    fields.write("previous_expires_at", previousExpiresAt?.rfc3339)
    fields.write("created_at", createdAt.rfc3339)
    fields.write("updated_at", updatedAt.rfc3339)
    fields.write("revoked_at", revokedAt?.rfc3339)
  }

  init(from fields: some FieldReader) throws(LedgerError) {
    let clientID = try fields.requiredText("client_id", of: "a key")
    let name = try fields.requiredText("name", of: "a key of client \(clientID)")
    let record = "key \(name) of client \(clientID)"
    self.init(
      clientID: clientID, name: name, sha256: try fields.requiredText("sha256", of: record),
      models: try StoredKey.list(fields.text("models"), of: record),
      operations: try StoredKey.operations(fields.text("operations"), of: record),
      // An unreadable time must not become a key without an expiry.
      expiresAt: try StoredKey.instant("expires_at", fields, of: record),
      requestsPerMinute: fields.integer("requests_per_minute"),
      tokensPerMinute: fields.integer("tokens_per_minute"),
      createdAt: try fields.requiredInstant("created_at", of: record))
    previousSHA256 = fields.text("previous_sha256")
    previousExpiresAt = fields.instant("previous_expires_at")
    updatedAt = try fields.requiredInstant("updated_at", of: record)
    revokedAt = try StoredKey.instant("revoked_at", fields, of: record)
  }

  private static func instant(
    _ name: String, _ fields: some FieldReader, of record: String
  ) throws(LedgerError) -> Timestamp? {
    fields.text(name) == nil ? nil : try fields.requiredInstant(name, of: record)
  }

  private static func operations(
    _ text: String?, of record: String
  ) throws(LedgerError) -> [Operation]? {
    guard let names = try list(text, of: record) else { return nil }
    let operations = names.compactMap { Operation(rawValue: $0) }
    guard operations.count == names.count else {
      throw .unreadable(record: "operations of \(record)")
    }
    return operations
  }

  /// Reads the text that `jsonArray` wrote.
  private static func list(
    _ text: String?, of record: String
  ) throws(LedgerError) -> [String]? {
    guard let text else { return nil }
    let parser = JSONParser()
    guard let array = try? parser.parse(Array(text.utf8)), array.kind == .array else {
      throw .unreadable(record: "a list of \(record)")
    }
    return array.elements.compactMap(\.string)
  }

  private static func jsonArray(_ items: [String]) -> String {
    var writer = JSONWriter()
    writer.strings(items)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
