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

      ALTER TABLE replicas ADD COLUMN spool_id TEXT COLLATE "C";
      """)
}
