internal import JSON
internal import Pricing
internal import Time

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
