extension PostgresSchema {
  static let views = """
    CREATE VIEW token_consumption AS
    SELECT id, coalesce(user_id, client_id) AS user_id, client_id, operation AS operation_type,
      total_tokens AS tokens_used, conversation_id, agent_id, created_at
    FROM usage_logs;

    CREATE VIEW token_usage_summary AS
    SELECT coalesce(user_id, client_id) AS user_id, client_id, substr(day, 1, 7) AS period,
      sum(total_tokens) AS total_tokens, count(*) AS operations
    FROM usage_logs
    GROUP BY 1, 2, 3;

    CREATE VIEW budget_status AS
    WITH open_accounts AS (
      SELECT * FROM budget_accounts AS a
      WHERE a.window_start <= \(now) AND (a.window_end IS NULL OR a.window_end > \(now))
        AND NOT EXISTS (SELECT 1 FROM budget_accounts AS later
          WHERE (later.budget_id, later.subject, later.period, later.currency)
            = (a.budget_id, a.subject, a.period, a.currency)
            AND later.window_start > a.window_start)
        AND NOT EXISTS (SELECT 1 FROM budget_resets AS r
          WHERE r.budget_id = a.budget_id AND r.usage = 'clear'
            AND r.subject IN ('', a.subject) AND r.created_at > a.window_start)
    ), current_windows AS (
      SELECT b.*, a.subject, a.window_start, a.window_end,
        coalesce(a.currency, b.currency) AS counted_currency,
        coalesce(a.tokens, 0) AS tokens, coalesce(a.cost_nano, 0) AS cost_nano
      FROM client_budgets AS b
      LEFT JOIN open_accounts AS a ON a.budget_id = b.id AND a.period = b.period
        AND (b.currency IS NULL OR a.currency = b.currency)
    \(percentages)
    """

  /// The rest of `budget_status` from its `current_windows` on.
  static let percentages = """
    ), percentages AS (
      SELECT *,
        CASE WHEN limit_tokens = 0 THEN 100.0
          ELSE trunc(CAST(1000.0 AS DOUBLE PRECISION) * tokens / limit_tokens) / 10.0 END
          AS token_percentage,
        CASE WHEN limit_cost_nano = 0 THEN 100.0
          ELSE trunc(CAST(1000.0 AS DOUBLE PRECISION) * cost_nano / limit_cost_nano) / 10.0 END
          AS cost_percentage
      FROM current_windows
    )
    SELECT id AS budget_id, client_id, name, per, subject, mode, enforcement, period,
      window_start AS period_start, window_end AS next_reset_at,
      limit_tokens, tokens AS current_tokens,
      limit_tokens - least(tokens, limit_tokens) AS remaining_tokens, token_percentage,
      limit_cost_nano, cost_nano AS current_cost_nano,
      limit_cost_nano - least(cost_nano, limit_cost_nano) AS remaining_cost_nano, cost_percentage,
      counted_currency AS currency,
      greatest(coalesce(token_percentage, 0.0), coalesce(cost_percentage, 0.0)) AS percentage_used
    FROM percentages;
    """

  /// This instant, as instants are written.
  static let now =
    "to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')"
}
