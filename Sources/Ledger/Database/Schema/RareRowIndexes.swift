extension Migration {
  /// What finds the rows of a rare provider, model, operation or key. Of the first three, a rollup
  /// says in which hours there are any: those hours are then looked through in the index alone.
  static let rareRowIndexes = Migration(
    number: 14, name: "indexes of rare rows",
    sql: """
      DROP INDEX usage_logs_created_at;
      CREATE INDEX usage_logs_created_at
        ON usage_logs (created_at, id, source, model, operation);
      CREATE INDEX usage_logs_key_name ON usage_logs (key_name, created_at);
      """)
}
