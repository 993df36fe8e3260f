extension Migration {
  /// Budgets that no file declares, what administrators did to budgets, and the first admin token.
  static let controlTables = Migration(
    number: 3, name: "budgets made here, and controls",
    sql: [tables, budgetStatus].joined(separator: "\n"))

  private static let tables = """
    ALTER TABLE client_budgets ADD COLUMN alerts TEXT; -- a JSON array; NULL for declared ones

    CREATE TABLE budget_controls (
      budget_id TEXT NOT NULL,
      subject TEXT NOT NULL, -- such as user:u1; empty for the whole budget
      paused INTEGER, -- NULL: as the whole budget
      raise_tokens INTEGER,
      raise_cost_nano INTEGER,
      raise_until TEXT,
      PRIMARY KEY (budget_id, subject)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE budget_resets (
      id INTEGER PRIMARY KEY,
      budget_id TEXT NOT NULL,
      subject TEXT NOT NULL, -- empty for the whole budget
      usage TEXT NOT NULL, -- keep or clear
      created_at TEXT NOT NULL
    ) STRICT;

    CREATE TABLE idempotent_answers (
      owner TEXT NOT NULL, -- who called, such as token:bars
      key TEXT NOT NULL,
      request_sha256 TEXT NOT NULL,
      status INTEGER NOT NULL,
      body TEXT, -- NULL where it held a secret
      created_at TEXT NOT NULL,
      PRIMARY KEY (owner, key)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE admin_tokens (
      name TEXT PRIMARY KEY,
      role TEXT NOT NULL,
      sha256 TEXT NOT NULL,
      created_at TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    """

  /// As before, but of several windows that are open, which a reset leaves behind, the latest
  /// alone; and none that a reset has cleared.
  private static let budgetStatus = """
    DROP VIEW budget_status;
    CREATE VIEW budget_status AS
    WITH open_accounts AS (
      SELECT * FROM budget_accounts AS a
      WHERE a.window_start <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
        AND (a.window_end IS NULL OR a.window_end > strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
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
}
