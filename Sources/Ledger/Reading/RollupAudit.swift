extension LedgerReader {
  /// Where a line of a rollup is not what its rows make.
  func rollupDifferences() throws(LedgerError) -> [AuditDifference] {
    try differences(of: DailyUsageKey.self) + differences(of: DailyUserKey.self)
      + differences(of: DailyConversationKey.self) + differences(of: HourlyUsageKey.self)
  }

  private func differences<Key: RollupKey>(
    of key: Key.Type
  ) throws(LedgerError) -> [AuditDifference] {
    let names = RollupSums.columns.map(\.name)
    let select = try connection.prepare(LedgerReader.compare(key, names))
    var differences: [AuditDifference] = []
    try select.forEachRow { () throws(LedgerError) in
      for (place, name) in names.enumerated() {
        let recorded = select.integer(Int32(1 + 2 * place)) ?? 0
        let recomputed = select.integer(Int32(2 + 2 * place)) ?? 0
        guard recorded != recomputed else { continue }
        differences.append(
          AuditDifference(
            check: .rollup, subject: "\(key.table) \(select.text(0) ?? "") \(name)",
            recorded: "\(recorded)", recomputed: "\(recomputed)"))
      }
    }
    return differences
  }

  /// The key's text, and what is recorded and recomputed of each name, of lines that differ; also
  /// where one side has no line.
  private static func compare<Key: RollupKey>(_ key: Key.Type, _ names: [String]) -> String {
    let keys = key.columns.map(\.name).joined(separator: ", ")
    let text = key.columns.map(\.name).joined(separator: " || ' ' || ")
    let both = names.map { "sum(\($0) * recorded), sum(\($0) * (1 - recorded))" }
    let differ = names.map { "sum(\($0) * (2 * recorded - 1)) <> 0" }
    return """
      WITH lines (\(keys), \(names.joined(separator: ", ")), recorded) AS (
        SELECT *, 1 FROM \(key.table)
        UNION ALL SELECT *, 0 FROM (\(RollupSums.selectFromRows(by: key))))
      SELECT \(text), \(both.joined(separator: ", ")) FROM lines GROUP BY \(keys)
      HAVING \(differ.joined(separator: " OR ")) ORDER BY \(keys)
      """
  }
}
