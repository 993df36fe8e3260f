internal import Configuration
internal import JSON
internal import Ledger
internal import Pricing
internal import Time

/// A key as the API shows it.
struct KeyJSON {
  let clientID: String
  let name: String
  let fingerprint: String
  let status: StoredKey.Status
  let isDeclared: Bool
  let models: [String]?
  let operations: [String]?
  let expiresAt: Timestamp?
  let requestsPerMinute: Int64?
  let tokensPerMinute: Int64?
  let lastUsedAt: Timestamp?
  let previousExpiresAt: Timestamp?
  let createdAt: Timestamp?

  private static let fields: Fields = [
    "client_id": .anyText, "name": .anyText, "fingerprint": .text(pattern: "^[0-9a-f]{12}$"),
    "status": .choice(of: StoredKey.Status.self), "source": .source,
    "models": .list(of: .anyText).orNull, "operations": .list(of: .anyText).orNull,
    "expires_at": .instant.orNull, "requests_per_minute": .count.orNull,
    "tokens_per_minute": .count.orNull, "last_used_at": .instant.orNull,
    "previous_expires_at": .instant.orNull, "created_at": .instant.orNull,
  ]
  static let schema = JSONSchema.named("Key", .object(fields))
  static let schemaWithSecret = JSONSchema.named(
    "KeyWithSecret", .object(fields + ["secret": .anyText]))

  init(_ key: StoredKey, lastUsed: Timestamp?, at now: Timestamp) {
    clientID = key.clientID
    name = key.name
    fingerprint = key.fingerprint
    status = key.status(at: now)
    isDeclared = false
    models = key.models
    operations = key.operations?.map(\.rawValue)
    expiresAt = key.expiresAt
    requestsPerMinute = key.requestsPerMinute
    tokensPerMinute = key.tokensPerMinute
    lastUsedAt = lastUsed
    previousExpiresAt = key.previousExpiresAt.flatMap { $0 > now ? $0 : nil }
    createdAt = key.createdAt
  }

  /// A key that a file declares.
  init(_ key: ClientKey, of client: String, lastUsed: Timestamp?, at now: Timestamp) {
    clientID = client
    name = key.name
    fingerprint = key.digest.fingerprint
    status = key.isExpired(at: now) ? .expired : .active
    isDeclared = true
    models = key.models?.map(\.description)
    operations = key.operations?.map(\.rawValue).sorted()
    expiresAt = key.expires
    requestsPerMinute = key.requestsPerMinute
    tokensPerMinute = key.tokensPerMinute
    lastUsedAt = lastUsed
    previousExpiresAt = nil
    createdAt = nil
  }

  /// The key's place in lists. Several revoked keys may share a name, so the cursor also has the
  /// time and the fingerprint. `!` sorts before every character that a name may have.
  var cursor: String { "\(name)!\(createdAt?.rfc3339 ?? "")!\(fingerprint)" }

  func write(to writer: inout JSONWriter, secret: String? = nil) {
    writer.object { object in
      object.member("client_id", clientID)
      object.member("name", name)
      object.member("fingerprint", fingerprint)
      object.member("status", status.rawValue)
      object.member("source", isDeclared ? "file" : "api")
      object.member("models", models)
      object.member("operations", operations)
      object.member("expires_at", expiresAt?.rfc3339)
      object.member("requests_per_minute", optional: requestsPerMinute)
      object.member("tokens_per_minute", optional: tokensPerMinute)
      object.member("last_used_at", lastUsedAt?.rfc3339)
      object.member("previous_expires_at", previousExpiresAt?.rfc3339)
      object.member("created_at", createdAt?.rfc3339)
      if let secret { object.member("secret", secret) }
    }
  }
}
