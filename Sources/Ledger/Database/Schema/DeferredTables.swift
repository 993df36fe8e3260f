extension Migration {
  /// Requests whose providers go on with the work after their answer.
  static let deferredTables = Migration(
    number: 5, name: "deferred requests",
    sql: """
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
        UNIQUE (provider, object_id)
      ) STRICT, WITHOUT ROWID;
      """)
}
