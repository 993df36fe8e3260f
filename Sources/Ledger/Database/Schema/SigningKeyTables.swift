extension Migration {
  /// What this server signs with, so that what it signed stands after a restart.
  static let signingKeyTables = Migration(
    number: 16, name: "signing keys",
    sql: """
      CREATE TABLE signing_keys (
        name TEXT PRIMARY KEY, -- what is signed with it
        key TEXT NOT NULL, -- random bytes, in Base64
        created_at TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
      """)
}
