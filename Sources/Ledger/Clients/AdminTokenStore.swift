internal import Time

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

extension LedgerReader {
  /// Returns the digests of the admin tokens that no file declares, as 64 hexadecimal digits, by
  /// name.
  /// - Throws: `LedgerError` if the database can't be read.
  public func adminTokens() throws(LedgerError) -> [String: String] {
    try AdminTokenStore(connection).all()
  }
}

extension LedgerEditor {
  /// Stores the digest of an admin token, 64 hexadecimal digits. Returns false if a token of that
  /// name exists.
  /// - Throws: `LedgerError` if the database can't be written.
  public func addAdminToken(_ name: String, sha256: String) throws(LedgerError) -> Bool {
    try AdminTokenStore(connection).insert(name, sha256: sha256, at: author.now)
  }
}
