extension Migration {
  /// Sums of `usage_logs`, so that reports don't read every row; and what finds rows by time, user
  /// and conversation.
  ///
  /// In rollups the empty text stands for no agent and no user, since a key can't be NULL.
  static let rollupTables = Migration(
    number: 9, name: "rollups", sql: [tables, indexes, sumsOfRows].joined(separator: "\n"))

  static let rollupMeasures = """
    requests INTEGER NOT NULL,
    tokens_input INTEGER NOT NULL,
    tokens_output INTEGER NOT NULL,
    conversations INTEGER NOT NULL,
    cost_nano_usd INTEGER NOT NULL,
    cost_nano INTEGER NOT NULL,
    """

  private static let tables = """
    -- 1 for the first row of a conversation in a calendar month.
    ALTER TABLE usage_logs ADD COLUMN begins_conversation INTEGER NOT NULL DEFAULT 0;

    CREATE TABLE usage_daily (
      client_id TEXT NOT NULL,
      day TEXT NOT NULL, -- in the client's time zone
      key_name TEXT NOT NULL,
      agent_id TEXT NOT NULL,
      source TEXT NOT NULL,
      model TEXT NOT NULL,
      operation TEXT NOT NULL,
      currency TEXT NOT NULL,
      \(rollupMeasures)
      PRIMARY KEY (client_id, day, key_name, agent_id, source, model, operation, currency)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE usage_daily_users (
      client_id TEXT NOT NULL,
      day TEXT NOT NULL, -- in the client's time zone
      user_id TEXT NOT NULL,
      currency TEXT NOT NULL,
      \(rollupMeasures)
      PRIMARY KEY (client_id, day, user_id, currency)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE usage_hourly (
      hour INTEGER NOT NULL, -- since 1970, UTC
      source TEXT NOT NULL,
      model TEXT NOT NULL,
      operation TEXT NOT NULL,
      currency TEXT NOT NULL,
      \(rollupMeasures)
      PRIMARY KEY (hour, source, model, operation, currency)
    ) STRICT, WITHOUT ROWID;
    """

  private static let indexes = """
    CREATE INDEX usage_logs_created_at ON usage_logs (created_at);
    CREATE INDEX usage_logs_user_id ON usage_logs (user_id, client_id, created_at)
      WHERE user_id IS NOT NULL;
    CREATE INDEX usage_logs_conversation_id
      ON usage_logs (conversation_id, client_id, created_at) WHERE conversation_id IS NOT NULL;
    """

  private static let sumsOfRows = """
    UPDATE usage_logs SET begins_conversation = 1 WHERE id IN (
      SELECT min(id) FROM usage_logs WHERE conversation_id IS NOT NULL
      GROUP BY client_id, substr(day, 1, 7), conversation_id);
    INSERT INTO usage_daily
      SELECT client_id, day, key_name, coalesce(agent_id, ''), source, model, operation, currency,
        \(rollupSums)
      FROM usage_logs GROUP BY 1, 2, 3, 4, 5, 6, 7, 8;
    INSERT INTO usage_daily_users
      SELECT client_id, day, coalesce(user_id, ''), currency, \(rollupSums)
      FROM usage_logs GROUP BY 1, 2, 3, 4;
    INSERT INTO usage_hourly
      SELECT CAST(strftime('%s', created_at) AS INTEGER) / 3600, source, model, operation, currency,
        \(rollupSums)
      FROM usage_logs GROUP BY 1, 2, 3, 4, 5;
    """

  static let rollupSums = """
    count(*), \(Dialect.sqlite.total("prompt_tokens")),
      \(Dialect.sqlite.total("completion_tokens")), sum(begins_conversation),
      \(Dialect.sqlite.total("cost_nano_usd")), \(Dialect.sqlite.total("cost_nano"))
    """
}
