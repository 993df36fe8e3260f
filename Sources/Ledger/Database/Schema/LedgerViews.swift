extension Migration {
  /// The views, which other programs read too.
  static func views(_ dialect: Dialect) -> String {
    """
    CREATE VIEW token_consumption AS
    SELECT id, coalesce(user_id, client_id) AS user_id, client_id, operation AS operation_type,
      total_tokens AS tokens_used, conversation_id, agent_id, created_at
    FROM usage_logs;

    CREATE VIEW token_usage_summary AS
    SELECT coalesce(user_id, client_id) AS user_id, client_id, substr(day, 1, 7) AS period,
      \(dialect.sum(of: "total_tokens")) AS total_tokens, count(*) AS operations
    FROM usage_logs
    GROUP BY 1, 2, 3;

    CREATE VIEW budget_status AS
    WITH \(openAccounts(dialect)), \(raises(dialect)), \(currentWindows(dialect)),
    \(percentages(dialect))
    SELECT id AS budget_id, client_id, name, per, subject, mode, enforcement, period,
      window_start AS period_start, window_end AS next_reset_at,
      limit_tokens, tokens AS current_tokens,
      limit_tokens - \(dialect.least)(tokens, limit_tokens) AS remaining_tokens, token_percentage,
      limit_cost_nano, cost_nano AS current_cost_nano,
      limit_cost_nano - \(dialect.least)(cost_nano, limit_cost_nano) AS remaining_cost_nano,
      cost_percentage, counted_currency AS currency,
      \(dialect.greatest)(coalesce(token_percentage, 0.0), coalesce(cost_percentage, 0.0))
        AS percentage_used
    FROM percentages;
    """
  }

  /// The accounts of present windows that no later window and no reset has ended.
  private static func openAccounts(_ dialect: Dialect) -> String {
    """
    open_accounts AS (
      SELECT * FROM budget_accounts AS a
      WHERE a.window_start <= \(dialect.now)
        AND (a.window_end IS NULL OR a.window_end > \(dialect.now))
        AND NOT EXISTS (SELECT 1 FROM budget_accounts AS later
          WHERE (later.budget_id, later.subject, later.period, later.currency)
            = (a.budget_id, a.subject, a.period, a.currency)
            AND later.window_start > a.window_start)
        AND NOT EXISTS (SELECT 1 FROM budget_resets AS r
          WHERE r.budget_id = a.budget_id AND r.usage = 'clear'
            AND r.subject IN ('', a.subject) AND r.created_at > a.window_start)
    )
    """
  }

  /// The raises in force. An expired one raises by 0, since it still replaces an earlier one.
  private static func raises(_ dialect: Dialect) -> String {
    func inForce(_ raise: String) -> String {
      "CASE WHEN raise_until > \(dialect.now) THEN coalesce(\(raise), 0) ELSE 0 END"
    }
    return """
      raises AS (
        SELECT budget_id, subject, \(inForce("raise_tokens")) AS tokens,
          \(inForce("raise_cost_nano")) AS cost_nano
        FROM budget_controls WHERE raise_until IS NOT NULL
      )
      """
  }

  /// Budgets with what is used of them, and their limits with the raise in force. A subject's own
  /// raise takes the place of the whole budget's.
  private static func currentWindows(_ dialect: Dialect) -> String {
    func raised(_ limit: String, by raise: String) -> String {
      """
      b.\(limit) + \(dialect.least)(coalesce(own.\(raise), whole.\(raise), 0),
            \(Int64.max) - b.\(limit)) AS \(limit)
      """
    }
    return """
      current_windows AS (
        SELECT b.id, b.client_id, b.name, b.per, b.mode, b.enforcement, b.period,
          a.subject, a.window_start, a.window_end,
          coalesce(a.currency, b.currency) AS counted_currency,
          coalesce(a.tokens, 0) AS tokens, coalesce(a.cost_nano, 0) AS cost_nano,
          \(raised("limit_tokens", by: "tokens")),
          \(raised("limit_cost_nano", by: "cost_nano"))
        FROM client_budgets AS b
        LEFT JOIN open_accounts AS a ON a.budget_id = b.id AND a.period = b.period
          AND (b.currency IS NULL OR a.currency = b.currency)
        LEFT JOIN raises AS own ON own.budget_id = b.id AND own.subject = a.subject
        LEFT JOIN raises AS whole ON whole.budget_id = b.id AND whole.subject = ''
      )
      """
  }

  /// The used share of each limit, in percent, rounded down to a tenth. Example: 110 of 200 tokens
  /// are 55.0; with a limit of 0 it is 100.0.
  private static func percentages(_ dialect: Dialect) -> String {
    func percentage(_ used: String, of limit: String) -> String {
      """
      CASE WHEN \(limit) = 0 THEN 100.0
            ELSE \(dialect.wholeQuotient("1000.0", used, limit)) / 10.0 END
      """
    }
    return """
      percentages AS (
        SELECT *, \(percentage("tokens", of: "limit_tokens")) AS token_percentage,
          \(percentage("cost_nano", of: "limit_cost_nano")) AS cost_percentage
        FROM current_windows
      )
      """
  }
}

extension Dialect {
  /// SQLite's `sum` fails above the largest integer, so the view stops there. PostgreSQL's has no
  /// largest number.
  fileprivate func sum(of column: String) -> String {
    switch self {
    case .sqlite: total(column)
    case .postgresql: "sum(\(column))"
    }
  }

  fileprivate var least: String {
    switch self {
    case .sqlite: "min"
    case .postgresql: "least"
    }
  }

  fileprivate var greatest: String {
    switch self {
    case .sqlite: "max"
    case .postgresql: "greatest"
    }
  }

  /// The whole part of `factor * left / right`, computed with floating numbers.
  fileprivate func wholeQuotient(_ factor: String, _ left: String, _ right: String) -> String {
    switch self {
    case .sqlite: "CAST(\(factor) * \(left) / \(right) AS INTEGER)"
    case .postgresql: "trunc(CAST(\(factor) AS DOUBLE PRECISION) * \(left) / \(right))"
    }
  }
}
