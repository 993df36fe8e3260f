extension Migration {
  /// Clients and keys that no file declares.
  static let clientTables = Migration(
    number: 2, name: "clients and keys",
    sql: """
      CREATE TABLE clients (
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        plan TEXT,
        timezone TEXT NOT NULL,
        status TEXT NOT NULL,
        payment_customer_id TEXT,
        metadata TEXT NOT NULL, -- a JSON object
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        deleted_at TEXT -- the row stays, so that the id is never used again
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE api_keys (
        id INTEGER PRIMARY KEY,
        client_id TEXT NOT NULL, -- of this database or of clients.yaml
        name TEXT NOT NULL,
        sha256 TEXT NOT NULL UNIQUE,
        models TEXT, -- a JSON array; NULL is all
        operations TEXT, -- a JSON array; NULL is all
        expires_at TEXT,
        requests_per_minute INTEGER,
        tokens_per_minute INTEGER,
        previous_sha256 TEXT, -- works until previous_expires_at
        previous_expires_at TEXT,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        revoked_at TEXT
      ) STRICT;
      CREATE UNIQUE INDEX api_keys_client_id_name ON api_keys (client_id, name)
        WHERE revoked_at IS NULL;
      """)
}
