extension Migration {
  /// What estimates are learned from, and compared with what was reported.
  static let estimateColumns = Migration(
    number: 7, name: "checks of estimates",
    sql: """
      ALTER TABLE usage_logs ADD COLUMN estimated_tokens INTEGER; -- where usage was reported
      ALTER TABLE usage_logs ADD COLUMN input_text_bytes INTEGER;
      ALTER TABLE usage_logs ADD COLUMN output_text_bytes INTEGER;
      """)
}
