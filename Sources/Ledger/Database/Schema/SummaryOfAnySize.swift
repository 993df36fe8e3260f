extension Migration {
  /// `token_usage_summary`, which other programs read too, stops at the largest integer. SQLite's
  /// `sum` would fail there. PostgreSQL's has no largest number.
  static let summaryOfAnySize = Migration(
    number: 27, name: "summary of any size", isAdditive: true,
    sqlite: """
      DROP VIEW token_usage_summary;
      CREATE VIEW token_usage_summary AS
      SELECT coalesce(user_id, client_id) AS user_id, client_id, substr(day, 1, 7) AS period,
        \(Dialect.sqlite.total("total_tokens")) AS total_tokens, count(*) AS operations
      FROM usage_logs
      GROUP BY 1, 2, 3;
      """,
    postgresql: "COMMENT ON VIEW token_usage_summary IS 'tokens by user and month'")
}
