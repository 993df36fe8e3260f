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
