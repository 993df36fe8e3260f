internal import Configuration
internal import Ledger
internal import Pricing
internal import Time

/// A key as the API shows it.
enum KeyFields {
  static let columns = [
    Table.Column("client_id", "Client"), Table.Column("name", "Key"),
    Table.Column("fingerprint", "Fingerprint"), Table.Column("status", "Status"),
    Table.Column("source", "Source"), Table.Column("models", "Models"),
    Table.Column("operations", "Operations"), Table.Column("expires_at", "Expires"),
    Table.Column("requests_per_minute", "Requests/min"),
    Table.Column("tokens_per_minute", "Tokens/min"), Table.Column("last_used_at", "Last used"),
    Table.Column("previous_expires_at", nil), Table.Column("created_at", "Created"),
  ]

  static func row(_ key: StoredKey, lastUsed: Timestamp?, at now: Timestamp) -> [Cell] {
    [
      .text(key.clientID), .text(key.name), .text(key.fingerprint),
      .text(key.status(at: now).rawValue), .text("api"), .optional(key.models),
      .optional(key.operations?.map(\.rawValue)), .instant(key.expiresAt),
      .optional(key.requestsPerMinute), .optional(key.tokensPerMinute), .instant(lastUsed),
      .instant(key.previousExpiresAt), .instant(key.createdAt),
    ]
  }

  /// A key that a file declares.
  static func row(
    _ key: ClientKey, of client: String, lastUsed: Timestamp?, at now: Timestamp
  ) -> [Cell] {
    let operations = key.operations?.map(\.rawValue).sorted()
    let status = key.isExpired(at: now) ? StoredKey.Status.expired : .active
    return [
      .text(client), .text(key.name), .text(key.digest.fingerprint), .text(status.rawValue),
      .text("file"), .optional(key.models?.map(\.description)), .optional(operations),
      .instant(key.expires), .optional(key.requestsPerMinute), .optional(key.tokensPerMinute),
      .instant(lastUsed), .none, .none,
    ]
  }

  /// A key that was just made or rotated, with its secret: that alone where no JSON is asked for.
  static func report(_ key: StoredKey, _ secret: KeySecret, at now: Timestamp) -> Report {
    var record = Record(columns, row(key, lastUsed: nil, at: now))
    record.add("secret", nil, .text(secret.text))
    return .record(record, headline: secret.text)
  }
}
