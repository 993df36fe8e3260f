extension PostgresSchema {
  /// Sums of `usage_logs`.
  static let rollupTables = """
    CREATE TABLE usage_daily (
      client_id TEXT COLLATE "C" NOT NULL,
      day TEXT COLLATE "C" NOT NULL, -- in the client's time zone
      utc_day BIGINT NOT NULL, -- days since 1970
      key_name TEXT COLLATE "C" NOT NULL,
      agent_id TEXT COLLATE "C" NOT NULL,
      source TEXT COLLATE "C" NOT NULL,
      model TEXT COLLATE "C" NOT NULL,
      operation TEXT COLLATE "C" NOT NULL,
      currency TEXT COLLATE "C" NOT NULL,
      requests BIGINT NOT NULL,
      tokens_input BIGINT NOT NULL,
      tokens_output BIGINT NOT NULL,
      conversations BIGINT NOT NULL,
      cost_nano_usd BIGINT NOT NULL,
      cost_nano BIGINT NOT NULL,
      PRIMARY KEY
      (client_id, day, utc_day, key_name, agent_id, source, model, operation, currency)
    );
    CREATE INDEX usage_daily_utc_day ON usage_daily (utc_day);

    CREATE TABLE usage_daily_users (
      client_id TEXT COLLATE "C" NOT NULL,
      day TEXT COLLATE "C" NOT NULL, -- in the client's time zone
      utc_day BIGINT NOT NULL, -- days since 1970
      user_id TEXT COLLATE "C" NOT NULL,
      currency TEXT COLLATE "C" NOT NULL,
      requests BIGINT NOT NULL,
      tokens_input BIGINT NOT NULL,
      tokens_output BIGINT NOT NULL,
      conversations BIGINT NOT NULL,
      cost_nano_usd BIGINT NOT NULL,
      cost_nano BIGINT NOT NULL,
      PRIMARY KEY (client_id, day, utc_day, user_id, currency)
    );
    CREATE INDEX usage_daily_users_utc_day ON usage_daily_users (utc_day);

    CREATE TABLE usage_daily_conversations (
      client_id TEXT COLLATE "C" NOT NULL,
      day TEXT COLLATE "C" NOT NULL, -- in the client's time zone
      utc_day BIGINT NOT NULL, -- days since 1970
      conversation_id TEXT COLLATE "C" NOT NULL, -- empty for rows without one
      currency TEXT COLLATE "C" NOT NULL,
      requests BIGINT NOT NULL,
      tokens_input BIGINT NOT NULL,
      tokens_output BIGINT NOT NULL,
      conversations BIGINT NOT NULL,
      cost_nano_usd BIGINT NOT NULL,
      cost_nano BIGINT NOT NULL,
      PRIMARY KEY (client_id, day, utc_day, conversation_id, currency)
    );

    CREATE TABLE usage_hourly (
      hour BIGINT NOT NULL, -- since 1970, UTC
      source TEXT COLLATE "C" NOT NULL,
      model TEXT COLLATE "C" NOT NULL,
      operation TEXT COLLATE "C" NOT NULL,
      currency TEXT COLLATE "C" NOT NULL,
      requests BIGINT NOT NULL,
      tokens_input BIGINT NOT NULL,
      tokens_output BIGINT NOT NULL,
      conversations BIGINT NOT NULL,
      cost_nano_usd BIGINT NOT NULL,
      cost_nano BIGINT NOT NULL,
      PRIMARY KEY (hour, source, model, operation, currency)
    );

    CREATE TABLE usage_totals (
      client_id TEXT COLLATE "C" NOT NULL,
      source TEXT COLLATE "C" NOT NULL,
      model TEXT COLLATE "C" NOT NULL, -- 'other' for all that the price book doesn't have
      operation TEXT COLLATE "C" NOT NULL,
      outcome TEXT COLLATE "C" NOT NULL,
      requests BIGINT NOT NULL,
      cost_nano_usd BIGINT NOT NULL,
      overruns BIGINT NOT NULL,
      prompt_tokens BIGINT NOT NULL,
      cached_tokens BIGINT NOT NULL,
      cache_write_tokens BIGINT NOT NULL,
      audio_input_tokens BIGINT NOT NULL,
      image_input_tokens BIGINT NOT NULL,
      completion_tokens BIGINT NOT NULL,
      reasoning_tokens BIGINT NOT NULL,
      audio_output_tokens BIGINT NOT NULL,
      image_output_tokens BIGINT NOT NULL,
      PRIMARY KEY (client_id, source, model, operation, outcome)
    );

    CREATE TABLE usage_totals_reach (
      "only" BIGINT PRIMARY KEY CHECK ("only" = 1),
      last_id BIGINT NOT NULL -- the last row of usage_logs that is in the sums
    );

    INSERT INTO usage_totals_reach VALUES (1, 0);
    """
}
