extension Migration {
  /// Clients, their keys, their prices and the objects that providers keep for them.
  ///
  /// In every table but `clients`, a `client_id` names a client of this ledger or of clients.yaml.
  static let clientTables = """
    CREATE TABLE clients (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      timezone TEXT NOT NULL,
      status TEXT NOT NULL,
      payment_customer_id TEXT,
      metadata TEXT NOT NULL, -- a JSON object
      created_at TEXT NOT NULL,
      updated_at TEXT NOT NULL,
      deleted_at TEXT, -- the row stays, so that the id is never used again
      markup TEXT -- such as 20%; NULL: the plan's
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE api_keys (
      id INTEGER PRIMARY KEY,
      client_id TEXT NOT NULL,
      name TEXT NOT NULL,
      sha256 TEXT NOT NULL UNIQUE,
      models TEXT, -- a JSON array; NULL: all
      operations TEXT, -- a JSON array; NULL: all
      expires_at TEXT,
      requests_per_minute INTEGER,
      tokens_per_minute INTEGER,
      previous_sha256 TEXT, -- works until previous_expires_at
      previous_expires_at TEXT,
      created_at TEXT NOT NULL,
      updated_at TEXT NOT NULL,
      revoked_at TEXT
    ) STRICT;
    CREATE UNIQUE INDEX api_keys_client_id_name ON api_keys (client_id, name)
      WHERE revoked_at IS NULL;

    CREATE TABLE pricing_config (
      id INTEGER PRIMARY KEY,
      client_id TEXT NOT NULL,
      number INTEGER NOT NULL, -- counted for each client, and never used again
      price_version TEXT GENERATED ALWAYS AS (client_id || '/' || CAST(number AS TEXT)) VIRTUAL,
      provider TEXT NOT NULL,
      model TEXT NOT NULL, -- its name in the price book
      prices TEXT NOT NULL, -- a JSON object with the keys of a pricing file, in US dollars
      created_at TEXT NOT NULL,
      ended_at TEXT, -- replaced or removed; NULL: in force
      UNIQUE (client_id, number)
    ) STRICT;
    CREATE UNIQUE INDEX pricing_config_in_force ON pricing_config (client_id, provider, model)
      WHERE ended_at IS NULL;

    CREATE TABLE provider_objects (
      provider TEXT NOT NULL,
      object_id TEXT NOT NULL, -- the provider's
      kind TEXT NOT NULL,
      client_id TEXT NOT NULL, -- '*': all clients may use it
      key_name TEXT, -- the key whose request made it; NULL: an administrator assigned it
      created_at TEXT NOT NULL,
      deleted_at TEXT, -- NULL: it is there
      session_price TEXT, -- a container's memory, as its price is named; NULL: no session was paid
      session_started_at TEXT,
      session_request_id TEXT, -- the request that paid for the session
      PRIMARY KEY (provider, object_id)
    ) STRICT, WITHOUT ROWID;
    -- A list of present objects never passes over deleted ones, however many there are.
    CREATE INDEX provider_objects_client
      ON provider_objects (client_id, provider, kind, created_at, object_id)
      WHERE deleted_at IS NULL;
    CREATE INDEX provider_objects_client_deleted
      ON provider_objects (client_id, provider, kind, created_at, object_id)
      WHERE deleted_at IS NOT NULL;
    CREATE INDEX provider_objects_deleted_at ON provider_objects (deleted_at)
      WHERE deleted_at IS NOT NULL;
    """

  /// Plans, the clients that have one, and prepaid credits.
  static let planTables = """
    CREATE TABLE plans (
      name TEXT PRIMARY KEY,
      display_name TEXT NOT NULL,
      monthly_tokens INTEGER, -- NULL: no limit
      monthly_conversations INTEGER, -- NULL: no limit
      currency TEXT, -- of the billing; NULL without billing
      fixed_fee_nano INTEGER,
      included INTEGER,
      overage_every INTEGER, -- NULL without an overage
      overage_charge_nano INTEGER,
      created_at TEXT NOT NULL,
      updated_at TEXT NOT NULL,
      measure TEXT, -- tokens or cost
      markup TEXT -- such as 20%; NULL: none
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE subscriptions (
      client_id TEXT PRIMARY KEY,
      plan TEXT NOT NULL, -- of this ledger or of clients.yaml
      started_on TEXT NOT NULL, -- in the client's time zone; periods are months from this day
      status TEXT NOT NULL,
      created_at TEXT NOT NULL,
      updated_at TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;

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
      created_at TEXT NOT NULL,
      leased_tokens INTEGER NOT NULL DEFAULT 0, -- the sum of credit_leases
      leased_nano INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX token_credits_client_id ON token_credits (client_id, id);

    CREATE TABLE credit_draws (
      request_id TEXT NOT NULL,
      credit_id INTEGER NOT NULL,
      client_id TEXT NOT NULL,
      tokens INTEGER NOT NULL, -- the request's tokens that the credit paid
      cost_nano INTEGER, -- what they took from a credit in money
      created_at TEXT NOT NULL, -- the request's
      PRIMARY KEY (request_id, credit_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX credit_draws_client_id ON credit_draws (client_id, created_at);
    """

  /// Tables of the admin API beside those of the records that it administers.
  static let administrationTables = """
    CREATE TABLE admin_tokens (
      name TEXT PRIMARY KEY,
      role TEXT NOT NULL,
      sha256 TEXT NOT NULL,
      created_at TEXT NOT NULL
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

    CREATE TABLE idempotent_answers (
      owner TEXT NOT NULL, -- the caller, such as token:bars
      key TEXT NOT NULL,
      request_sha256 TEXT NOT NULL,
      status INTEGER NOT NULL,
      body TEXT, -- NULL if it held a secret
      created_at TEXT NOT NULL,
      outcome TEXT, -- the change's, until its answer is stored; NULL if it has a secret
      expires_at TEXT, -- NULL: never
      PRIMARY KEY (owner, key)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX idempotent_answers_expires_at ON idempotent_answers (expires_at)
      WHERE expires_at IS NOT NULL;

    CREATE TABLE signing_keys (
      name TEXT PRIMARY KEY, -- the purpose
      key TEXT NOT NULL, -- random bytes, in Base64
      created_at TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    """
}
