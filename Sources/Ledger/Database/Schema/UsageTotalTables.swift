extension Migration {
  /// What metrics go on counting from after a restart: the sums of `usage_logs` over all time, up
  /// to a row. Written now and then; a start adds the rows since.
  static let usageTotalTables = Migration(
    number: 12, name: "usage totals",
    sql: """
      CREATE TABLE usage_totals (
        client_id TEXT NOT NULL,
        source TEXT NOT NULL,
        model TEXT NOT NULL, -- 'other' for all that the price book doesn't have
        operation TEXT NOT NULL,
        outcome TEXT NOT NULL,
        requests INTEGER NOT NULL,
        cost_nano_usd INTEGER NOT NULL,
        overruns INTEGER NOT NULL,
        prompt_tokens INTEGER NOT NULL,
        cached_tokens INTEGER NOT NULL,
        cache_write_tokens INTEGER NOT NULL,
        audio_input_tokens INTEGER NOT NULL,
        image_input_tokens INTEGER NOT NULL,
        completion_tokens INTEGER NOT NULL,
        reasoning_tokens INTEGER NOT NULL,
        audio_output_tokens INTEGER NOT NULL,
        image_output_tokens INTEGER NOT NULL,
        PRIMARY KEY (client_id, source, model, operation, outcome)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE usage_totals_reach (
        only INTEGER PRIMARY KEY CHECK (only = 1),
        last_id INTEGER NOT NULL -- the last row of usage_logs that is in the sums
      ) STRICT;
      INSERT INTO usage_totals_reach VALUES (1, 0);
      """)
}
