extension Migration {
  /// Each index costs every request its share of a commit. So rows by key are found as those by
  /// provider, model and operation are, through a rollup's days and then in the index of instants;
  /// and of streams and plain requests, one kind alone has an index: that which costs more anyway.
  ///
  /// PostgreSQL keeps its own: there an index's cost is not the server's. Earlier servers find the
  /// same rows without, more slowly.
  static let fewerUsageIndexes = Migration(
    number: 25, name: "fewer indexes of usage_logs", isAdditive: true,
    sqlite: """
      DROP INDEX usage_logs_stream;
      CREATE INDEX usage_logs_stream ON usage_logs (created_at) WHERE stream = 1;
      DROP INDEX usage_logs_key_name;
      DROP INDEX usage_logs_created_at;
      CREATE INDEX usage_logs_created_at
        ON usage_logs (created_at, id, source, model, operation, key_name, stream);
      """,
    postgresql: "COMMENT ON COLUMN usage_logs.stream IS '1 for a stream of events'")
}
