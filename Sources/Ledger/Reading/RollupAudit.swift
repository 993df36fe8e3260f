extension LedgerReader {
  /// Where a line of a rollup is not what its rows make.
  func rollupDifferences() throws(LedgerError) -> [AuditDifference] {
    try differences(of: DailyUsageKey.self) + differences(of: DailyUserKey.self)
      + differences(of: DailyConversationKey.self) + differences(of: HourlyUsageKey.self)
  }

  private func differences<Key: RollupKey>(
    of key: Key.Type
  ) throws(LedgerError) -> [AuditDifference] {
    let keys = key.columns.map(\.name)
    let sums = RollupSums.columns.map(\.name)
    return try SumComparison(
      check: .rollup, title: key.table, keys: keys, sums: sums,
      recorded: "SELECT \((keys + sums).joined(separator: ", ")) FROM \(key.table)",
      recomputed: RollupSums.selectFromRows(by: key)
    ).differences(connection)
  }
}
