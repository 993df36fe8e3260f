internal import Time

/// Reads and writes `api_keys`: the keys that no file declares. A revoked key keeps its row, and
/// its name can be used again.
struct KeyStore {
  private let connection: DatabaseConnection

  init(_ connection: DatabaseConnection) {
    self.connection = connection
  }

  /// Returns the keys of one client or of all, by client and name.
  func all(of clientID: String?, includingRevoked: Bool) throws(LedgerError) -> [StoredKey] {
    let select = try connection.prepare(KeyStore.selectKeys)
    select.bind(clientID, includingRevoked ? 1 : 0)
    return try select.rows(
      passingOver: connection.unreadable, .isLeftOut, StoredKey.init(from:))
  }

  /// Returns the key of that name that isn't revoked.
  func find(_ name: String, of clientID: String) throws(LedgerError) -> StoredKey? {
    try all(of: clientID, includingRevoked: false).first { $0.name == name }
  }

  func insert(_ key: StoredKey) throws(LedgerError) {
    let insert = try connection.prepare(KeyStore.insertKey)
    var parameters = ParameterWriter(insert)
    key.write(to: &parameters)
    try insert.run()
  }

  func update(_ key: StoredKey) throws(LedgerError) {
    let update = try connection.prepare(KeyStore.updateKey)
    var parameters = ParameterWriter(update)
    key.write(to: &parameters)
    try update.run()
  }

  func revoke(_ name: String, of clientID: String, at now: Timestamp) throws(LedgerError) {
    let update = try connection.prepare(KeyStore.revokeKey)
    try update.run(clientID, name, now.rfc3339)
  }

  /// Gives the key another digest. The previous one works until `previousExpiresAt`.
  func rotate(
    _ key: StoredKey, to sha256: String, previousExpiresAt: Timestamp, at now: Timestamp
  ) throws(LedgerError) {
    let update = try connection.prepare(KeyStore.rotateKey)
    try update.run(key.clientID, key.name, sha256, previousExpiresAt.rfc3339, now.rfc3339)
  }

  private static let selectKeys = """
    SELECT * FROM api_keys
    WHERE (CAST(?1 AS TEXT) IS NULL OR client_id = ?1) AND (?2 = 1 OR revoked_at IS NULL)
    ORDER BY client_id, name, id
    """
  /// The columns of `StoredKey.write(to:)`, in its order.
  private static let insertKey = """
    INSERT INTO api_keys (client_id, name, sha256, models, operations, expires_at,
      requests_per_minute, tokens_per_minute, previous_sha256, previous_expires_at, created_at,
      updated_at, revoked_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
  /// The parameters have the numbers of `insertKey`, because the writer binds all of them.
  private static let updateKey = """
    UPDATE api_keys SET sha256 = ?3, models = ?4, operations = ?5, expires_at = ?6,
      requests_per_minute = ?7, tokens_per_minute = ?8, previous_sha256 = ?9,
      previous_expires_at = ?10, created_at = ?11, updated_at = ?12
    WHERE client_id = ?1 AND name = ?2 AND revoked_at IS NOT DISTINCT FROM ?13
    """
  private static let revokeKey = """
    UPDATE api_keys SET revoked_at = ?3, updated_at = ?3
    WHERE client_id = ?1 AND name = ?2 AND revoked_at IS NULL
    """
  private static let rotateKey = """
    UPDATE api_keys SET previous_sha256 = sha256, previous_expires_at = ?4, sha256 = ?3,
      updated_at = ?5
    WHERE client_id = ?1 AND name = ?2 AND revoked_at IS NULL
    """
}

/// Reads and writes `admin_tokens`: the token that the first start creates if none is configured.
struct AdminTokenStore {
  private let connection: DatabaseConnection

  init(_ connection: DatabaseConnection) {
    self.connection = connection
  }

  /// Returns the digest of each token by its name, as 64 hexadecimal digits.
  func all() throws(LedgerError) -> [String: String] {
    let select = try connection.prepare("SELECT name, sha256 FROM admin_tokens")
    var tokens: [String: String] = [:]
    try select.forEachRow {
      if let name = select.text(0) { tokens[name] = select.text(1) }
    }
    return tokens
  }

  /// Inserts a token; returns false if one of that name exists.
  func insert(_ name: String, sha256: String, at now: Timestamp) throws(LedgerError) -> Bool {
    let insert = try connection.prepare(
      """
      INSERT INTO admin_tokens (name, role, sha256, created_at) VALUES (?, 'admin', ?, ?)
      ON CONFLICT (name) DO NOTHING
      """)
    insert.bind(name, sha256, now.rfc3339)
    return try insert.changedRows() == 1
  }
}
