extension Migration {
  /// What servers that share a ledger need to share the number of conversations that a plan lets
  /// begin.
  ///
  /// Servers that know neither would begin conversations without a permit, and not say so: it isn't
  /// additive.
  static let conversationPermitTables = Migration(
    number: 22, name: "permits of conversations",
    sqlite: """
      CREATE TABLE conversation_windows (
        client_id TEXT NOT NULL,
        window_start TEXT NOT NULL,
        window_end TEXT,
        exact_from TEXT NOT NULL, -- who is let in later has a permit
        PRIMARY KEY (client_id, window_start)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE conversation_permits (
        client_id TEXT NOT NULL,
        window_start TEXT NOT NULL, -- of conversation_windows
        conversation_id TEXT NOT NULL,
        replica_id TEXT NOT NULL, -- who may begin it; empty once it has begun
        number INTEGER NOT NULL, -- of the replica's permit
        PRIMARY KEY (client_id, window_start, conversation_id, replica_id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX conversation_permits_replica_id ON conversation_permits (replica_id)
        WHERE replica_id <> '';
      """,
    postgresql: """
      CREATE TABLE conversation_windows (
        client_id TEXT COLLATE "C" NOT NULL,
        window_start TEXT COLLATE "C" NOT NULL,
        window_end TEXT COLLATE "C",
        exact_from TEXT COLLATE "C" NOT NULL, -- who is let in later has a permit
        PRIMARY KEY (client_id, window_start)
      );

      CREATE TABLE conversation_permits (
        client_id TEXT COLLATE "C" NOT NULL,
        window_start TEXT COLLATE "C" NOT NULL, -- of conversation_windows
        conversation_id TEXT COLLATE "C" NOT NULL,
        replica_id TEXT COLLATE "C" NOT NULL, -- who may begin it; empty once it has begun
        number BIGINT NOT NULL, -- of the replica's permit
        PRIMARY KEY (client_id, window_start, conversation_id, replica_id)
      );
      CREATE INDEX conversation_permits_replica_id ON conversation_permits (replica_id)
        WHERE replica_id <> '';
      """)
}
