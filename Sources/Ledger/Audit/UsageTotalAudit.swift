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
