extension Migration {
  /// What is needed to meter, to limit and to explain.
  ///
  /// Instants are RFC 3339 in UTC with milliseconds, so that their text sorts as they do. The only
  /// random key in an index of `usage_logs` is the request id, and that is ordered by time.
  static let firstTables = Migration(
    number: 1, name: "first tables", sql: [tables, usageViews, budgetViews].joined(separator: "\n"))

  private static let tables = """
    CREATE TABLE usage_logs (
      id INTEGER PRIMARY KEY,
      request_id TEXT NOT NULL,
      client_id TEXT NOT NULL,
      key_name TEXT NOT NULL,
      user_id TEXT,
      conversation_id TEXT,
      agent_id TEXT,
      source TEXT NOT NULL,
      model TEXT NOT NULL,
      response_model TEXT,
      operation TEXT NOT NULL,
      endpoint TEXT NOT NULL,
      stream INTEGER NOT NULL,
      status INTEGER NOT NULL,
      outcome TEXT NOT NULL,
      usage_source TEXT NOT NULL,
      prompt_tokens INTEGER NOT NULL,
      cached_tokens INTEGER NOT NULL,
      cache_write_tokens INTEGER NOT NULL, -- of both retentions
      cache_write_long_tokens INTEGER NOT NULL, -- the part with twelve hours of retention
      audio_input_tokens INTEGER NOT NULL,
      image_input_tokens INTEGER NOT NULL,
      completion_tokens INTEGER NOT NULL,
      reasoning_tokens INTEGER NOT NULL,
      audio_output_tokens INTEGER NOT NULL,
      image_output_tokens INTEGER NOT NULL,
      total_tokens INTEGER NOT NULL,
      audio_ms INTEGER NOT NULL,
      characters INTEGER NOT NULL,
      images INTEGER NOT NULL,
      calls INTEGER NOT NULL,
      cost_nano_usd INTEGER NOT NULL,
      cost_nano INTEGER NOT NULL,
      currency TEXT NOT NULL,
      price_version TEXT,
      held_tokens INTEGER NOT NULL,
      held_nano_usd INTEGER NOT NULL,
      overrun_tokens INTEGER NOT NULL,
      overrun_nano_usd INTEGER NOT NULL,
      latency_ms INTEGER,
      ttft_ms INTEGER,
      overhead_us INTEGER,
      metadata TEXT,
      created_at TEXT NOT NULL,
      day TEXT NOT NULL, -- of created_at, in the client's time zone
      budget_accounts TEXT NOT NULL, -- which counters were charged, see BudgetAccountStore
      cost_usd TEXT GENERATED ALWAYS AS
        (printf('%d.%09d', cost_nano_usd / 1000000000, cost_nano_usd % 1000000000)) VIRTUAL
    ) STRICT;
    CREATE UNIQUE INDEX usage_logs_request_id ON usage_logs (request_id);
    CREATE INDEX usage_logs_client_id_created_at ON usage_logs (client_id, created_at);

    CREATE TABLE in_flight (
      id INTEGER PRIMARY KEY,
      intents TEXT NOT NULL -- all that were opened in one commit, see InFlightStore
    ) STRICT;

    CREATE TABLE token_usage (
      client_id TEXT NOT NULL,
      day TEXT NOT NULL,
      tokens_input INTEGER NOT NULL,
      tokens_output INTEGER NOT NULL,
      tokens_total INTEGER NOT NULL,
      conversations_count INTEGER NOT NULL,
      api_calls_count INTEGER NOT NULL,
      cost_nano_usd INTEGER NOT NULL,
      PRIMARY KEY (client_id, day)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE conversations (
      client_id TEXT NOT NULL,
      month TEXT NOT NULL,
      conversation_id TEXT NOT NULL,
      day TEXT NOT NULL, -- on which it was counted
      PRIMARY KEY (client_id, month, conversation_id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE client_budgets (
      id TEXT PRIMARY KEY,
      client_id TEXT NOT NULL,
      name TEXT NOT NULL,
      per TEXT NOT NULL,
      mode TEXT NOT NULL,
      limit_tokens INTEGER,
      limit_cost_nano INTEGER,
      currency TEXT,
      period TEXT NOT NULL,
      enforcement TEXT NOT NULL,
      source TEXT NOT NULL,
      created_at TEXT NOT NULL,
      updated_at TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE budget_accounts (
      id INTEGER PRIMARY KEY,
      budget_id TEXT NOT NULL,
      subject TEXT NOT NULL,
      period TEXT NOT NULL,
      window_start TEXT NOT NULL,
      window_end TEXT,
      tokens INTEGER NOT NULL,
      cost_nano INTEGER NOT NULL,
      currency TEXT NOT NULL,
      UNIQUE (budget_id, subject, period, window_start, currency)
    ) STRICT;

    CREATE TABLE denials (
      id INTEGER PRIMARY KEY,
      request_id TEXT NOT NULL,
      client_id TEXT NOT NULL,
      key_name TEXT NOT NULL,
      user_id TEXT,
      operation TEXT NOT NULL,
      model TEXT NOT NULL,
      budget_id TEXT,
      reason TEXT NOT NULL,
      limit_value INTEGER NOT NULL,
      used INTEGER NOT NULL,
      held INTEGER NOT NULL,
      requested INTEGER NOT NULL,
      reset_at TEXT,
      created_at TEXT NOT NULL
    ) STRICT;
    CREATE INDEX denials_created_at ON denials (created_at);

    CREATE TABLE price_versions (
      version TEXT PRIMARY KEY,
      record TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE audit_log (
      id INTEGER PRIMARY KEY,
      actor TEXT NOT NULL,
      action TEXT NOT NULL,
      target TEXT NOT NULL,
      client_id TEXT,
      before TEXT,
      after TEXT,
      created_at TEXT NOT NULL
    ) STRICT;
    """

  private static let usageViews = """
    CREATE VIEW token_consumption AS
    SELECT id, coalesce(user_id, client_id) AS user_id, client_id, operation AS operation_type,
      total_tokens AS tokens_used, conversation_id, agent_id, created_at
    FROM usage_logs;

    CREATE VIEW token_usage_summary AS
    SELECT coalesce(user_id, client_id) AS user_id, client_id, substr(day, 1, 7) AS period,
      sum(total_tokens) AS total_tokens, count(*) AS operations
    FROM usage_logs
    GROUP BY 1, 2, 3;
    """

  private static let budgetViews = """
    CREATE VIEW budget_status AS
    WITH current_windows AS (
      SELECT b.*, a.subject, a.window_start, a.window_end,
        coalesce(a.currency, b.currency) AS counted_currency,
        coalesce(a.tokens, 0) AS tokens, coalesce(a.cost_nano, 0) AS cost_nano
      FROM client_budgets AS b
      LEFT JOIN budget_accounts AS a ON a.budget_id = b.id AND a.period = b.period
        AND (b.currency IS NULL OR a.currency = b.currency)
        AND a.window_start <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
        AND (a.window_end IS NULL OR a.window_end > strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
    \(percentages)
    """

  /// The rest of `budget_status` from its `current_windows` on: percentages have one decimal and
  /// are rounded down; a limit of zero is used up.
  static let percentages = """
    ), percentages AS (
      SELECT *,
        CASE WHEN limit_tokens = 0 THEN 100.0
          ELSE CAST(1000.0 * tokens / limit_tokens AS INTEGER) / 10.0 END AS token_percentage,
        CASE WHEN limit_cost_nano = 0 THEN 100.0
          ELSE CAST(1000.0 * cost_nano / limit_cost_nano AS INTEGER) / 10.0 END
          AS cost_percentage
      FROM current_windows
    )
    SELECT id AS budget_id, client_id, name, per, subject, mode, enforcement, period,
      window_start AS period_start, window_end AS next_reset_at,
      limit_tokens, tokens AS current_tokens,
      max(limit_tokens - tokens, 0) AS remaining_tokens, token_percentage,
      limit_cost_nano, cost_nano AS current_cost_nano,
      max(limit_cost_nano - cost_nano, 0) AS remaining_cost_nano, cost_percentage,
      counted_currency AS currency,
      max(coalesce(token_percentage, 0.0), coalesce(cost_percentage, 0.0)) AS percentage_used
    FROM percentages;
    """
}
