extension Migration {
  /// The sums of a rollup's line.
  private static let sums = """
      requests INTEGER NOT NULL,
      tokens_input INTEGER NOT NULL,
      tokens_output INTEGER NOT NULL,
      conversations INTEGER NOT NULL,
      cost_nano_usd INTEGER NOT NULL,
      cost_nano INTEGER NOT NULL,
      provider_difference_nano_usd INTEGER NOT NULL DEFAULT 0, -- provider's cost - cost_nano_usd
    """

  /// Sums of `usage_logs`, so that reports need not read every row.
  ///
  /// A column of a key can't be NULL, so '' means no agent, no user or no conversation.
  /// `utc_day` lets a report sum all clients together although each has its own time zone.
  static let rollupTables = """
    CREATE TABLE usage_daily (
      client_id TEXT NOT NULL,
      day TEXT NOT NULL, -- in the client's time zone
      utc_day INTEGER NOT NULL, -- days since 1970
      key_name TEXT NOT NULL,
      agent_id TEXT NOT NULL,
      source TEXT NOT NULL,
      model TEXT NOT NULL,
      operation TEXT NOT NULL,
      currency TEXT NOT NULL,
    \(sums)
      PRIMARY KEY
        (client_id, day, utc_day, key_name, agent_id, source, model, operation, currency)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX usage_daily_utc_day ON usage_daily (utc_day);

    CREATE TABLE usage_daily_users (
      client_id TEXT NOT NULL,
      day TEXT NOT NULL, -- in the client's time zone
      utc_day INTEGER NOT NULL, -- days since 1970
      user_id TEXT NOT NULL,
      currency TEXT NOT NULL,
    \(sums)
      PRIMARY KEY (client_id, day, utc_day, user_id, currency)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX usage_daily_users_utc_day ON usage_daily_users (utc_day);

    CREATE TABLE usage_daily_conversations (
      client_id TEXT NOT NULL,
      day TEXT NOT NULL, -- in the client's time zone
      utc_day INTEGER NOT NULL, -- days since 1970
      conversation_id TEXT NOT NULL,
      currency TEXT NOT NULL,
    \(sums)
      PRIMARY KEY (client_id, day, utc_day, conversation_id, currency)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE usage_hourly (
      hour INTEGER NOT NULL, -- hours since 1970, UTC
      source TEXT NOT NULL,
      model TEXT NOT NULL,
      operation TEXT NOT NULL,
      currency TEXT NOT NULL,
    \(sums)
      PRIMARY KEY (hour, source, model, operation, currency)
    ) STRICT, WITHOUT ROWID;

    -- Where metrics go on counting after a restart: sums over all time, up to a row. The server
    -- writes them now and then, and a start adds the rows since.
    CREATE TABLE usage_totals (
      client_id TEXT NOT NULL,
      source TEXT NOT NULL,
      model TEXT NOT NULL, -- 'other' for every model that the price book doesn't have
      operation TEXT NOT NULL,
      outcome TEXT NOT NULL,
      requests INTEGER NOT NULL,
      cost_nano_usd INTEGER NOT NULL,
      overruns INTEGER NOT NULL,
      prompt_tokens INTEGER NOT NULL,
      cached_tokens INTEGER NOT NULL,
      cache_write_tokens INTEGER NOT NULL,
      audio_input_tokens INTEGER NOT NULL,
      image_input_tokens INTEGER NOT NULL,
      completion_tokens INTEGER NOT NULL,
      reasoning_tokens INTEGER NOT NULL,
      audio_output_tokens INTEGER NOT NULL,
      image_output_tokens INTEGER NOT NULL,
      provider_difference_nano_usd INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (client_id, source, model, operation, outcome)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE usage_totals_reach (
      "only" INTEGER PRIMARY KEY CHECK ("only" = 1),
      last_id INTEGER NOT NULL -- the last row of usage_logs that is in the sums
    ) STRICT;
    INSERT INTO usage_totals_reach VALUES (1, 0);
    """
}
