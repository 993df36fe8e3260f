extension LedgerReader {
  /// Returns the lines of rollups that differ from the sums over the rows.
  func rollupDifferences(_ rows: AuditedRows) throws(LedgerError) -> [AuditDifference] {
    let isWholeDay = "day >= '\(rows.firstDay)'"
    return try differences(of: DailyUsageKey.self, where: isWholeDay, rows)
      + differences(of: DailyUserKey.self, where: isWholeDay, rows)
      + differences(of: DailyConversationKey.self, where: isWholeDay, rows)
      + differences(of: HourlyUsageKey.self, where: "hour >= \(rows.firstHour)", rows)
  }

  private func differences<Key: RollupKey>(
    of key: Key.Type, where condition: String, _ rows: AuditedRows
  ) throws(LedgerError) -> [AuditDifference] {
    let keys = key.columnNames
    let sums = RollupSums.columns.map(\.name)
    return try SumComparison(
      check: .rollup, title: key.table, keys: keys, sums: sums,
      recorded: "SELECT \((keys + sums).joined(separator: ", ")) FROM \(key.table)",
      recomputed: RollupSums.selectFromRows(by: key, connection.dialect), condition: condition
    ).differences(connection, rows)
  }
}
