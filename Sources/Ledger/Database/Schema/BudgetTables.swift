extension Migration {
  /// Budgets, what is used of them, and what administrators changed of them.
  static let budgetTables = """
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
      updated_at TEXT NOT NULL,
      alerts TEXT -- a JSON array; NULL for a declared budget
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE budget_accounts (
      id INTEGER PRIMARY KEY,
      budget_id TEXT NOT NULL,
      subject TEXT NOT NULL,
      period TEXT NOT NULL,
      window_start TEXT NOT NULL,
      window_end TEXT, -- NULL: never
      tokens INTEGER NOT NULL,
      cost_nano INTEGER NOT NULL,
      currency TEXT NOT NULL,
      leased_tokens INTEGER NOT NULL DEFAULT 0, -- the sum of budget_leases and budget_reserves
      leased_nano INTEGER NOT NULL DEFAULT 0,
      paid_by_credits INTEGER NOT NULL DEFAULT 0, -- tokens that count not against a plan's limit
      UNIQUE (budget_id, subject, period, window_start, currency)
    ) STRICT;

    CREATE TABLE budget_controls (
      budget_id TEXT NOT NULL,
      subject TEXT NOT NULL, -- such as user:u1; '' for the whole budget
      paused INTEGER, -- NULL: as the whole budget
      raise_tokens INTEGER,
      raise_cost_nano INTEGER,
      raise_until TEXT,
      PRIMARY KEY (budget_id, subject)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE budget_resets (
      id INTEGER PRIMARY KEY,
      budget_id TEXT NOT NULL,
      subject TEXT NOT NULL, -- '' for the whole budget
      usage TEXT NOT NULL, -- keep or clear
      created_at TEXT NOT NULL
    ) STRICT;

    CREATE TABLE limit_pauses (
      budget_id TEXT NOT NULL,
      subject TEXT NOT NULL, -- such as client:acme
      window_start TEXT NOT NULL,
      window_end TEXT,
      unit TEXT NOT NULL, -- tokens or cost
      limit_value INTEGER NOT NULL, -- the limit in force then; cost in nano-units
      created_at TEXT NOT NULL,
      PRIMARY KEY (budget_id, subject)
    ) STRICT, WITHOUT ROWID;
    """

  static let alertTables = """
    CREATE TABLE alerts (
      id INTEGER PRIMARY KEY,
      uuid TEXT NOT NULL UNIQUE, -- its name in deliveries
      type TEXT NOT NULL, -- budget.threshold or budget.exceeded
      client_id TEXT NOT NULL, -- * for a budget over everything
      budget_id TEXT NOT NULL,
      subject TEXT NOT NULL, -- such as user:u1
      window_start TEXT NOT NULL,
      window_end TEXT, -- NULL: never
      threshold INTEGER, -- a percentage; NULL for a refusal
      unit TEXT NOT NULL, -- tokens, or a currency
      limit_value INTEGER NOT NULL, -- tokens or nano-units
      used INTEGER NOT NULL,
      created_at TEXT NOT NULL,
      sentence TEXT, -- what deliveries say; NULL until they are planned
      body TEXT
    ) STRICT;
    CREATE INDEX alerts_budget_id ON alerts (budget_id, subject, window_start);
    CREATE INDEX alerts_unplanned ON alerts (id) WHERE body IS NULL;

    CREATE TABLE alert_deliveries (
      alert INTEGER NOT NULL, -- of alerts
      channel TEXT NOT NULL, -- such as webhook:0
      status TEXT NOT NULL, -- pending, delivered or failed
      attempts INTEGER NOT NULL,
      last_error TEXT,
      next_attempt_at TEXT, -- NULL after the last attempt
      delivered_at TEXT,
      PRIMARY KEY (alert, channel)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX alert_deliveries_due ON alert_deliveries (channel, next_attempt_at)
      WHERE next_attempt_at IS NOT NULL;
    """
}
