extension Migration {
  /// What people are told about budgets, and how that goes.
  static let alertTables = Migration(
    number: 8, name: "alerts and their deliveries",
    sql: """
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
        next_attempt_at TEXT, -- NULL once nothing is tried any more
        delivered_at TEXT,
        PRIMARY KEY (alert, channel)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX alert_deliveries_due ON alert_deliveries (channel, next_attempt_at)
        WHERE next_attempt_at IS NOT NULL;
      """)
}
