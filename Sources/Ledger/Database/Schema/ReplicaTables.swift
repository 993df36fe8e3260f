extension Migration {
  /// Tables that replicas share: the running servers, their leases of limits and credits, and their
  /// permits to begin conversations. A ledger in SQLite leaves them empty.
  static let replicaTables = """
    CREATE TABLE replicas (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      started_at TEXT NOT NULL,
      heartbeat_ms INTEGER NOT NULL, -- since 1970, by the database's clock
      spool_id TEXT
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE spools (
      id TEXT PRIMARY KEY,
      server TEXT NOT NULL, -- the name in replicas of the last server that had it
      path TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE budget_leases (
      replica_id TEXT NOT NULL,
      account_id INTEGER NOT NULL,
      tokens INTEGER NOT NULL,
      cost_nano INTEGER NOT NULL,
      PRIMARY KEY (replica_id, account_id)
    ) STRICT, WITHOUT ROWID;

    -- For the time when a server can't reach the database.
    CREATE TABLE budget_reserves (
      spool_id TEXT NOT NULL,
      account_id INTEGER NOT NULL,
      tokens INTEGER NOT NULL,
      cost_nano INTEGER NOT NULL,
      PRIMARY KEY (spool_id, account_id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE credit_leases (
      replica_id TEXT NOT NULL,
      credit_id INTEGER NOT NULL,
      tokens INTEGER NOT NULL, -- of a credit in tokens
      cost_nano INTEGER NOT NULL, -- of a credit in money
      PRIMARY KEY (replica_id, credit_id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE conversation_windows (
      client_id TEXT NOT NULL,
      window_start TEXT NOT NULL,
      window_end TEXT,
      exact_from TEXT NOT NULL, -- from then on each conversation begins with a permit
      PRIMARY KEY (client_id, window_start)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE conversation_permits (
      client_id TEXT NOT NULL,
      window_start TEXT NOT NULL, -- of conversation_windows
      conversation_id TEXT NOT NULL,
      replica_id TEXT NOT NULL, -- the replica that may begin it; '' once it has begun
      number INTEGER NOT NULL, -- of the replica's permit
      PRIMARY KEY (client_id, window_start, conversation_id, replica_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX conversation_permits_replica_id ON conversation_permits (replica_id)
      WHERE replica_id <> '';

    -- Months whose rows are no longer part of usage_logs. SQLite keeps the rows of all months.
    CREATE TABLE detached_months (
      month TEXT PRIMARY KEY, -- of UTC, such as 2026-11
      table_name TEXT NOT NULL, -- which may have been dropped since
      detached_at TEXT NOT NULL,
      row_count INTEGER -- NULL until the rows are counted
    ) STRICT, WITHOUT ROWID;
    """
}
