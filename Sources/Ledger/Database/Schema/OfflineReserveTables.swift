extension Migration {
  /// What servers that share a ledger have of limits for the time when they can't ask it.
  ///
  /// `budget_accounts` counts it as leased.
  static let offlineReserveTables = Migration(
    number: 23, name: "offline reserves", isAdditive: true,
    sqlite: """
      CREATE TABLE budget_reserves (
        spool_id TEXT NOT NULL,
        account_id INTEGER NOT NULL,
        tokens INTEGER NOT NULL,
        cost_nano INTEGER NOT NULL,
        PRIMARY KEY (spool_id, account_id)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE spools (
        id TEXT PRIMARY KEY,
        server TEXT NOT NULL, -- as replicas names the last that had it
        path TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;

      ALTER TABLE replicas ADD COLUMN spool_id TEXT;
      """,
    postgresql: """
      CREATE TABLE budget_reserves (
        spool_id TEXT COLLATE "C" NOT NULL,
        account_id BIGINT NOT NULL,
        tokens BIGINT NOT NULL,
        cost_nano BIGINT NOT NULL,
        PRIMARY KEY (spool_id, account_id)
      );

      CREATE TABLE spools (
        id TEXT COLLATE "C" PRIMARY KEY,
        server TEXT COLLATE "C" NOT NULL, -- as replicas names the last that had it
        path TEXT COLLATE "C" NOT NULL
      );

      ALTER TABLE replicas ADD COLUMN spool_id TEXT COLLATE "C";
      """)
}
