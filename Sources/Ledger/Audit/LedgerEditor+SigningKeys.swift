internal import Time

extension LedgerEditor {
  /// The key that something is signed with: the one that is kept, else `fresh`, kept from now on.
  ///
  /// A restart goes on with it. Keys of providers and tokens of administrators have no place here:
  /// whoever reads the ledger could use them elsewhere. What is signed here opens no more than the
  /// ledger itself shows.
  ///
  /// - Parameter fresh: random bytes, in Base64.
  public func signingKey(_ name: String, orKeep fresh: String) throws(LedgerError) -> String {
    try connection.edit { () throws(LedgerError) in
      let insert = try connection.prepare(
        "INSERT INTO signing_keys (name, key, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
      insert.bind(name, at: 1)
      insert.bind(fresh, at: 2)
      insert.bind(author.now.rfc3339, at: 3)
      try insert.run()
      let select = try connection.prepare("SELECT key FROM signing_keys WHERE name = ?")
      select.bind(name, at: 1)
      return try select.firstRow { fields throws(LedgerError) in
        try fields.requiredText("key", of: "the signing key \(name)")
      } ?? fresh
    }
  }
}
