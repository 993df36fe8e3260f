internal import Time

/// `admin_tokens`: the token that a first start makes where none is configured.
struct AdminTokenStore {
  private let connection: DatabaseConnection

  init(_ connection: DatabaseConnection) {
    self.connection = connection
  }

  /// The digest of each token, as 64 hexadecimal digits, by its name.
  func all() throws(LedgerError) -> [String: String] {
    let select = try connection.prepare("SELECT name, sha256 FROM admin_tokens")
    var tokens: [String: String] = [:]
    try select.forEachRow {
      if let name = select.text(0) { tokens[name] = select.text(1) }
    }
    return tokens
  }

  /// False where there is one of that name.
  func insert(_ name: String, sha256: String, at now: Timestamp) throws(LedgerError) -> Bool {
    let insert = try connection.prepare(
      """
      INSERT INTO admin_tokens (name, role, sha256, created_at) VALUES (?, 'admin', ?, ?)
      ON CONFLICT (name) DO NOTHING
      """)
    insert.bind(name, at: 1)
    insert.bind(sha256, at: 2)
    insert.bind(now.rfc3339, at: 3)
    return try insert.changedRows() == 1
  }
}
