extension Migration {
  /// One row for each request.
  ///
  /// The request id is the only random value in an index, and it is ordered by time. PostgreSQL
  /// keeps the rows apart by month of `created_at` (see `UsagePartitionStore`), so that each of its
  /// unique indexes needs that column; all rows of one request agree on it.
  static func usageLogs(_ dialect: Dialect) -> String {
    """
    CREATE TABLE usage_logs (
      id \(dialect.countedNumber),
    \(usageLogColumns)
      cost_usd TEXT GENERATED ALWAYS AS (\(dialect.dollars(ofNano: "cost_nano_usd"))) VIRTUAL,
      estimated_tokens INTEGER,
      input_text_bytes INTEGER,
      output_text_bytes INTEGER,
      choices INTEGER, -- that the request asked for; NULL: no estimate was compared
      begins_conversation INTEGER NOT NULL DEFAULT 0, -- 1: the conversation's first row in a month
      provider_cost_nano_usd INTEGER, -- what the provider charges; NULL: cost_nano_usd
      tool_calls TEXT, -- such as {"web_search":2}; NULL: none, or their kinds aren't known
      PRIMARY KEY (id\(dialect.instantOfKey))
    )\(dialect.partitionsByInstant) STRICT;
    CREATE UNIQUE INDEX usage_logs_request_id ON usage_logs (request_id\(dialect.instantOfKey));
    CREATE INDEX usage_logs_client_id_created_at ON usage_logs (client_id, created_at);
    CREATE INDEX usage_logs_user_id ON usage_logs (user_id, client_id, created_at)
      WHERE user_id IS NOT NULL;
    CREATE INDEX usage_logs_conversation_id
      ON usage_logs (conversation_id, client_id, created_at) WHERE conversation_id IS NOT NULL;
    CREATE INDEX usage_logs_agent_id ON usage_logs (agent_id, created_at)
      WHERE agent_id IS NOT NULL;
    CREATE INDEX usage_logs_outcome ON usage_logs (outcome, created_at) WHERE outcome <> 'ok';
    CREATE INDEX usage_logs_usage_source ON usage_logs (usage_source, created_at)
      WHERE usage_source <> 'reported';
    \(dialect.indexesOfRareRows)
    """
  }

  /// The columns of `usage_logs` before `cost_usd`, without `id`.
  private static let usageLogColumns = """
      request_id TEXT NOT NULL,
      client_id TEXT NOT NULL,
      key_name TEXT NOT NULL,
      user_id TEXT,
      conversation_id TEXT,
      agent_id TEXT,
      source TEXT NOT NULL, -- the provider
      model TEXT NOT NULL,
      response_model TEXT,
      operation TEXT NOT NULL,
      endpoint TEXT NOT NULL,
      stream INTEGER NOT NULL, -- 1: a stream of events
      status INTEGER NOT NULL,
      outcome TEXT NOT NULL,
      usage_source TEXT NOT NULL,
      prompt_tokens INTEGER NOT NULL,
      cached_tokens INTEGER NOT NULL,
      cache_write_tokens INTEGER NOT NULL, -- of both retentions
      cache_write_long_tokens INTEGER NOT NULL, -- the part with twelve hours of retention
      audio_input_tokens INTEGER NOT NULL,
      cached_audio_tokens INTEGER NOT NULL DEFAULT 0, -- in audio_input_tokens and cached_tokens
      image_input_tokens INTEGER NOT NULL,
      completion_tokens INTEGER NOT NULL,
      reasoning_tokens INTEGER NOT NULL,
      audio_output_tokens INTEGER NOT NULL,
      image_output_tokens INTEGER NOT NULL,
      total_tokens INTEGER NOT NULL,
      audio_ms INTEGER NOT NULL,
      characters INTEGER NOT NULL,
      images INTEGER NOT NULL,
      calls INTEGER NOT NULL, -- of tools
      cost_nano_usd INTEGER NOT NULL,
      cost_nano INTEGER NOT NULL, -- in the currency
      currency TEXT NOT NULL,
      price_version TEXT,
      held_tokens INTEGER NOT NULL,
      held_nano_usd INTEGER NOT NULL,
      overrun_tokens INTEGER NOT NULL,
      overrun_nano_usd INTEGER NOT NULL,
      latency_ms INTEGER,
      ttft_ms INTEGER,
      overhead_us INTEGER,
      metadata TEXT, -- a JSON object
      created_at TEXT NOT NULL,
      day TEXT NOT NULL, -- of created_at, in the client's time zone
      budget_accounts TEXT NOT NULL, -- the accounts that were charged, see BudgetAccountStore
    """

  /// Requests in flight, as recovery would settle them. Replicas look for those of one replica, and
  /// replicas never share a ledger in SQLite.
  static func inFlight(_ dialect: Dialect) -> String {
    let table = """
      CREATE TABLE in_flight (
        id INTEGER PRIMARY KEY,
        intents TEXT NOT NULL, -- those that were opened in one commit, see InFlightStore
        replica_id TEXT
      ) STRICT;
      """
    let index = "CREATE INDEX in_flight_replica_id ON in_flight (replica_id);"
    return dialect == .postgresql ? "\(table)\n\(index)" : table
  }

  /// Requests that providers still work on, what clients used in all, and refusals.
  static let usageTables = """
    CREATE TABLE deferred_requests (
      request_id TEXT PRIMARY KEY,
      provider TEXT NOT NULL,
      object_id TEXT NOT NULL, -- the provider's: resp_…, batch_…
      kind TEXT NOT NULL, -- response or batch
      expected TEXT NOT NULL, -- a JSON object, as in in_flight
      priced_model TEXT,
      service_tier TEXT,
      image_model TEXT,
      settled_lines INTEGER NOT NULL,
      held_tokens INTEGER NOT NULL,
      held_nano_usd INTEGER NOT NULL,
      replica_id TEXT,
      UNIQUE (provider, object_id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE token_usage (
      client_id TEXT NOT NULL,
      day TEXT NOT NULL, -- in the client's time zone
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

    CREATE TABLE missing_prices (
      provider TEXT NOT NULL,
      model TEXT NOT NULL, -- as the request or the answer named it
      kind TEXT NOT NULL, -- model, quantity, tier, window, call or container
      name TEXT NOT NULL, -- which one of its kind, such as cached_input; '' for a model
      client_id TEXT NOT NULL, -- '' where the client isn't known
      outcome TEXT NOT NULL, -- refused, free or assumed
      requests INTEGER NOT NULL,
      first_seen TEXT NOT NULL,
      last_seen TEXT NOT NULL,
      PRIMARY KEY (provider, model, kind, name, client_id, outcome)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX missing_prices_last_seen ON missing_prices (last_seen);
    CREATE INDEX missing_prices_outcome ON missing_prices (outcome, last_seen);
    """
}

extension Dialect {
  fileprivate var countedNumber: String {
    switch self {
    case .sqlite: "INTEGER"
    case .postgresql: "BIGINT GENERATED BY DEFAULT AS IDENTITY"
    }
  }

  /// The columns that a unique index of a partitioned table needs after its own.
  fileprivate var instantOfKey: String {
    switch self {
    case .sqlite: ""
    case .postgresql: ", created_at"
    }
  }

  fileprivate var partitionsByInstant: String {
    switch self {
    case .sqlite: ""
    case .postgresql: " PARTITION BY RANGE (created_at)"
    }
  }

  /// A decimal number of dollars, as a text. Example: 113,400 nano-dollars are `0.000113400`.
  fileprivate func dollars(ofNano column: String) -> String {
    switch self {
    case .sqlite: "printf('%d.%09d', \(column) / 1000000000, \(column) % 1000000000)"
    case .postgresql:
      """
      CAST(\(column) / 1000000000 AS TEXT) || '.'
          || lpad(CAST(\(column) % 1000000000 AS TEXT), 9, '0')
      """
    }
  }

  /// The indexes that find the rows of a rare provider, model, operation or key, or of streams.
  ///
  /// In SQLite each index costs every request its share of a commit. A rollup names the hours or
  /// days that have such rows, and SQLite looks through these in the index of instants alone; only
  /// streams, the costlier kind of request, have an index of their own. For PostgreSQL the cost of
  /// an index is not the server's.
  fileprivate var indexesOfRareRows: String {
    switch self {
    case .sqlite:
      """
      CREATE INDEX usage_logs_stream ON usage_logs (created_at) WHERE stream = 1;
      CREATE INDEX usage_logs_created_at
        ON usage_logs (created_at, id, source, model, operation, key_name, stream);
      """
    case .postgresql:
      """
      CREATE INDEX usage_logs_stream ON usage_logs (stream, created_at);
      CREATE INDEX usage_logs_created_at
        ON usage_logs (created_at, id, source, model, operation);
      CREATE INDEX usage_logs_key_name ON usage_logs (key_name, created_at);
      """
    }
  }
}
