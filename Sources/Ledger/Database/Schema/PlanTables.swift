extension Migration {
  /// Plans that no file declares, subscriptions, and credits.
  static let planTables = Migration(
    number: 6, name: "plans, subscriptions and credits",
    sql: """
      CREATE TABLE plans (
        name TEXT PRIMARY KEY,
        display_name TEXT NOT NULL,
        monthly_tokens INTEGER, -- NULL is no limit
        monthly_conversations INTEGER, -- NULL is no limit
        currency TEXT, -- of the billing; NULL without one
        fixed_fee_nano INTEGER,
        included_tokens INTEGER,
        overage_tokens INTEGER, -- NULL without an overage
        overage_charge_nano INTEGER,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE subscriptions (
        client_id TEXT PRIMARY KEY, -- of this database or of clients.yaml
        plan TEXT NOT NULL, -- of this database or of clients.yaml
        started_on TEXT NOT NULL, -- in the client's time zone; periods are months from this day
        status TEXT NOT NULL,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;

      -- Until now the plan stood with the client, and its periods were calendar months.
      INSERT INTO subscriptions
        SELECT id, plan, substr(created_at, 1, 7) || '-01', 'active', created_at, updated_at
        FROM clients WHERE plan IS NOT NULL AND deleted_at IS NULL;
      ALTER TABLE clients DROP COLUMN plan;

      CREATE TABLE token_credits (
        id INTEGER PRIMARY KEY,
        client_id TEXT NOT NULL,
        tokens_granted INTEGER, -- NULL for a credit in money
        tokens_remaining INTEGER,
        cost_granted_nano INTEGER, -- NULL for a credit in tokens
        cost_remaining_nano INTEGER,
        currency TEXT,
        expires_at TEXT,
        note TEXT,
        created_at TEXT NOT NULL
      ) STRICT;
      CREATE INDEX token_credits_client_id ON token_credits (client_id, id);

      CREATE TABLE credit_draws (
        request_id TEXT NOT NULL,
        credit_id INTEGER NOT NULL,
        client_id TEXT NOT NULL,
        tokens INTEGER NOT NULL, -- of the request, that the credit has paid
        cost_nano INTEGER, -- what they took from a credit in money
        created_at TEXT NOT NULL, -- of the request
        PRIMARY KEY (request_id, credit_id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX credit_draws_client_id ON credit_draws (client_id, created_at);
      """)
}
