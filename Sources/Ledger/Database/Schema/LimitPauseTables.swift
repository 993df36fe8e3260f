extension Migration {
  /// Pauses by limits, with which a start goes on, and raises in `budget_status`.
  static let limitPauseTables = Migration(
    number: 34, name: "pauses by limits", isAdditive: true,
    sqlite: table(integer: "INTEGER", text: "TEXT", options: " STRICT, WITHOUT ROWID") + sqliteView,
    postgresql: table(integer: "BIGINT", text: #"TEXT COLLATE "C""#) + postgresView)

  private static func table(integer: String, text: String, options: String = "") -> String {
    """
    CREATE TABLE limit_pauses (
      budget_id \(text) NOT NULL,
      subject \(text) NOT NULL, -- such as client:acme
      window_start \(text) NOT NULL,
      window_end \(text),
      unit \(text) NOT NULL, -- tokens or cost
      limit_value \(integer) NOT NULL, -- the limit in force then; cost in nano-units
      created_at \(text) NOT NULL,
      PRIMARY KEY (budget_id, subject)
    )\(options);

    """
  }

  private static let sqliteView = """
    DROP VIEW budget_status;
    CREATE VIEW budget_status AS
    \(raisedWindows(now: "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')", least: "min"))
    \(percentages)
    """

  private static let postgresView = """
    DROP VIEW budget_status;
    CREATE VIEW budget_status AS
    \(raisedWindows(now: PostgresSchema.now, least: "least"))
    \(PostgresSchema.percentages)
    """

  /// As before, with limits that have the raise in force. A subject's own raise takes the place of
  /// the whole budget's until a later one of the whole budget.
  private static func raisedWindows(now: String, least: String) -> String {
    func raised(_ limit: String, by raise: String) -> String {
      "b.\(limit) + \(least)(coalesce(own.\(raise), whole.\(raise), 0), "
        + "\(Int64.max) - b.\(limit)) AS \(limit)"
    }
    return """
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
      ), raises AS (
        SELECT budget_id, subject,
          CASE WHEN raise_until > \(now) THEN coalesce(raise_tokens, 0) ELSE 0 END AS tokens,
          CASE WHEN raise_until > \(now) THEN coalesce(raise_cost_nano, 0) ELSE 0 END AS cost_nano
        FROM budget_controls WHERE raise_until IS NOT NULL
      ), current_windows AS (
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
      """
  }
}
