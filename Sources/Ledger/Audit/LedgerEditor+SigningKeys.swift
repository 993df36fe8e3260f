internal import Time

extension LedgerEditor {
  /// Returns the stored signing key. If there is none, stores and returns `fresh`.
  ///
  /// The key outlives a restart. Provider keys and admin tokens must not be stored this way,
  /// because a reader of the ledger could use them elsewhere. A signature with this key gives
  /// access only to what the ledger itself shows.
  ///
  /// - Parameter fresh: Random bytes in Base64.
  /// - Throws: `LedgerError` if the database can't be written.
  public func signingKey(_ name: String, orKeep fresh: String) throws(LedgerError) -> String {
    try connection.edit { () throws(LedgerError) in
      let insert = try connection.prepare(
        "INSERT INTO signing_keys (name, key, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
      try insert.run(name, fresh, author.now.rfc3339)
      let select = try connection.prepare("SELECT key FROM signing_keys WHERE name = ?")
      select.bind(name)
      return try select.firstRow { fields throws(LedgerError) in
        try fields.requiredText("key", of: "the signing key \(name)")
      } ?? fresh
    }
  }
}
