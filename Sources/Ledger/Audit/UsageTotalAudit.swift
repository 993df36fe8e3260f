extension LedgerReader {
  /// Returns the lines of `usage_totals` that differ from the rows up to the last covered one.
  ///
  /// A model is counted by its own name only while the price book has it, and as `other` at other
  /// times. Therefore all models of an operation and outcome are compared together, and a single
  /// model's count may only be too high. A fine-tuned model is counted as its base `ft:BASE`,
  /// unless the book has its own price. It is therefore compared under its base on both sides.
  ///
  /// The sums cover all time, so nothing can be compared if rows are gone.
  func usageTotalDifferences(_ rows: AuditedRows) throws(LedgerError) -> [AuditDifference] {
    guard rows.goneMonths.isEmpty else { return [] }
    let keys = ["client_id", "source", "operation", "outcome"]
    return try totals(by: keys, .equal).differences(connection, rows)
      + totals(by: keys + ["model"], .noMore, where: "model <> 'other'")
      .differences(connection, rows)
  }

  /// The condition on rows that the table covers. If several servers share the database, it is
  /// written in each commit and covers all.
  private var covered: String {
    switch connection.dialect {
    case .sqlite: "id <= (SELECT last_id FROM usage_totals_reach)"
    case .postgresql: "true"
    }
  }

  /// `ft:BASE` for `ft:BASE:org::id`, and the name itself otherwise. `PriceBook.knownName` treats
  /// names that differ only in the rest as the same.
  private var comparedModel: String {
    let place = connection.dialect == .sqlite ? "instr" : "strpos"
    let end = "\(place)(substr(model, 4), ':')"
    return """
      CASE WHEN substr(model, 1, 3) = 'ft:' AND \(end) > 0
        THEN substr(model, 1, 2 + \(end)) ELSE model END
      """
  }

  private func totals(
    by keys: [String], _ rule: SumComparison.Rule, where condition: String = "true"
  ) -> SumComparison {
    let selected = keys.map { $0 == "model" ? comparedModel : $0 }
    // A sum that may be negative can be larger without the rows that were counted as `other`.
    let places = UsageSums.columns.indices.filter {
      rule == .equal || UsageSums.columns[$0] != UsageSums.providerDifferenceColumn
    }
    let sums = places.map { UsageSums.columns[$0] }
    let columns = selected + sums
    let rows = selected + places.map { UsageSums.columnsOfRow[$0] }
    return SumComparison(
      check: .usageTotals, title: "usage_totals", keys: keys, sums: sums,
      recorded: """
        SELECT \(columns.joined(separator: ", ")) FROM usage_totals WHERE \(condition)
        """,
      recomputed: """
        SELECT \(rows.joined(separator: ", ")) FROM usage_logs WHERE \(covered)
        """,
      rule: rule)
  }
}

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

/// Compares recorded sums with the sums over their rows, line by line.
struct SumComparison {
  /// The rule for a difference.
  enum Rule: String {
    /// The sums differ, or one side has no line.
    case equal = "<>"
    /// The recorded sum exceeds the rows' sum.
    case noMore = ">"
  }

  var check: AuditDifference.Check
  /// The beginning of the differences' subjects.
  var title: String
  /// The columns that identify a line.
  var keys: [String]
  var sums: [String]
  /// Selects `keys` and `sums` in this order. Several lines with the same key count together.
  var recorded: String
  var recomputed: String
  var rule = Rule.equal
  /// The condition on the keys of the lines to compare.
  var condition = "true"

  func differences(
    _ connection: DatabaseConnection, _ rows: AuditedRows? = nil
  ) throws(LedgerError) -> [AuditDifference] {
    let sql = sql(connection.dialect)
    let select = try connection.prepare(rows?.read(by: sql) ?? sql)
    var differences: [AuditDifference] = []
    try select.forEachRow {
      for (place, name) in sums.enumerated() {
        let recorded = select.integer(Int32(1 + 2 * place)) ?? 0
        let recomputed = select.integer(Int32(2 + 2 * place)) ?? 0
        guard rule == .equal ? recorded != recomputed : recorded > recomputed else { continue }
        differences.append(
          AuditDifference(
            check: check, subject: "\(title) \(select.text(0) ?? "") \(name)",
            recorded: "\(recorded)", recomputed: "\(recomputed)"))
      }
    }
    return differences
  }

  /// Selects the key's text and the recorded and recomputed value of each sum, for lines that
  /// differ.
  private func sql(_ dialect: Dialect) -> String {
    let key = keys.joined(separator: ", ")
    let columns = (keys + sums).joined(separator: ", ")
    let sides = sums.map {
      (dialect.total("\($0) * is_recorded"), dialect.total("\($0) * (1 - is_recorded)"))
    }
    let differ = sides.map { "\($0) \(rule.rawValue) \($1)" }.joined(separator: " OR ")
    return """
      WITH recorded (\(columns)) AS (\(recorded)), recomputed (\(columns)) AS (\(recomputed)),
        lines AS (SELECT *, 1 AS is_recorded FROM recorded UNION ALL SELECT *, 0 FROM recomputed)
      SELECT \(keys.joined(separator: " || ' ' || ")),
        \(sides.map { "\($0), \($1)" }.joined(separator: ", "))
      FROM lines WHERE \(condition) GROUP BY \(key) HAVING \(differ) ORDER BY \(key)
      """
  }
}
