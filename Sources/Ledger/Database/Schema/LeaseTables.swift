extension Migration {
  /// What several servers need that share a ledger.
  ///
  /// `budget_accounts` says beside what was used how much of the limit its replicas may use by
  /// themselves: always the sums of `budget_leases`.
  static let leaseTables = Migration(
    number: 17, name: "lease tables",
    sqlite: """
      CREATE TABLE replicas (
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        started_at TEXT NOT NULL,
        heartbeat_ms INTEGER NOT NULL -- since 1970, by the database's clock
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE budget_leases (
        replica_id TEXT NOT NULL,
        account_id INTEGER NOT NULL,
        tokens INTEGER NOT NULL,
        cost_nano INTEGER NOT NULL,
        PRIMARY KEY (replica_id, account_id)
      ) STRICT, WITHOUT ROWID;

      ALTER TABLE budget_accounts ADD COLUMN leased_tokens INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE budget_accounts ADD COLUMN leased_nano INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE in_flight ADD COLUMN replica_id TEXT;
      ALTER TABLE deferred_requests ADD COLUMN replica_id TEXT;
      """,
    postgresql: PostgresSchema.first)
}
