extension LedgerReader {
  /// Where `usage_totals` is not what the rows up to its last one make.
  ///
  /// A model is counted by its own name only while the price book has it, and as `other` at other
  /// times. So all models of an operation and outcome are compared together, and of one model that
  /// no more is counted than its rows make. A fine-tuned model is counted as its base `ft:BASE`,
  /// unless the book has a price for itself. So it is compared under its base on both sides.
  ///
  /// They are of all time: where rows are gone, nothing can be said.
  func usageTotalDifferences(_ rows: AuditedRows) throws(LedgerError) -> [AuditDifference] {
    guard rows.goneMonths.isEmpty else { return [] }
    let keys = ["client_id", "source", "operation", "outcome"]
    return try totals(by: keys, .equal).differences(connection, rows)
      + totals(by: keys + ["model"], .noMore, where: "model <> 'other'")
      .differences(connection, rows)
  }

  /// Which rows the table has. On a database of several servers it is written in each commit.
  private var covered: String {
    switch connection.dialect {
    case .sqlite: "id <= (SELECT last_id FROM usage_totals_reach)"
    case .postgresql: "true"
    }
  }

  /// `ft:BASE` of `ft:BASE:org::id`, and any other name itself: the names that
  /// `PriceBook.knownName` makes of names that differ in this are the same.
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
    // What may be negative can be more without the rows that were counted as `other`.
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
