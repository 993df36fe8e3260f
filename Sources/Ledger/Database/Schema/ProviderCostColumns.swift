extension Migration {
  /// What the provider charges beside what the client is charged, and the markups between the two.
  ///
  /// Servers of earlier releases know no markup, and write none of these columns: what they record
  /// costs the client what it costs the provider. So a row without a provider's cost has that of
  /// its cost, and a line of a rollup keeps by how much the provider's cost differs.
  static let providerCostColumns = Migration(
    number: 29, name: "the provider's cost", isAdditive: true,
    sqlite: columns(integer: "INTEGER", text: "TEXT"),
    postgresql: columns(integer: "BIGINT", text: #"TEXT COLLATE "C""#))

  /// Rows from before cost the client what they cost the provider. A step by itself, since the one
  /// before keeps servers from writing rows until it ends.
  static let providerCostOfEarlierRows = Migration(
    number: 30, name: "the provider's cost of earlier rows", isAdditive: true,
    sqlite: valuesOfEarlierRows, postgresql: valuesOfEarlierRows)

  private static let valuesOfEarlierRows = """
    UPDATE usage_logs SET provider_cost_nano_usd = cost_nano_usd
      WHERE provider_cost_nano_usd IS NULL;
    """

  private static let tablesOfSums = [
    "usage_daily", "usage_daily_users", "usage_daily_conversations", "usage_hourly", "usage_totals",
  ]

  private static func columns(integer: String, text: String) -> String {
    let sums = tablesOfSums.map { table in
      """
      -- what provider_cost_nano_usd is more than cost_nano_usd, or less where it is negative
      ALTER TABLE \(table)
        ADD COLUMN provider_difference_nano_usd \(integer) NOT NULL DEFAULT 0;
      """
    }
    return """
      -- what the provider charges; NULL: cost_nano_usd
      ALTER TABLE usage_logs ADD COLUMN provider_cost_nano_usd \(integer);
      \(sums.joined(separator: "\n"))
      ALTER TABLE plans ADD COLUMN markup \(text); -- such as 20%; NULL: none
      ALTER TABLE clients ADD COLUMN markup \(text); -- such as 20%; NULL: the plan's
      """
  }
}
