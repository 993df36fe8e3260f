internal import Configuration
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

  /// The secret of a key that was just made or rotated.
  var secret: String?

  private static let allFields: AnswerFields<KeyJSON> = [
    .field("client_id", \.clientID), .field("name", \.name),
    .field("fingerprint", as: .text(pattern: "^[0-9a-f]{12}$"), \.fingerprint),
    .choice("status", \.status), .source(\.isDeclared), .field("models", \.models),
    .field("operations", \.operations), .field("expires_at", \.expiresAt),
    .field("requests_per_minute", \.requestsPerMinute),
    .field("tokens_per_minute", \.tokensPerMinute), .field("last_used_at", \.lastUsedAt),
    .field("previous_expires_at", \.previousExpiresAt), .field("created_at", \.createdAt),
  ]
  static let fields = allFields.named("Key")
  static let fieldsWithSecret =
    (allFields + [.field("secret", as: .anyText, \.secret)]).named("KeyWithSecret")

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
}
