extension LedgerReader {
  /// Returns a request's charges to budgets; empty if the request has no row.
  /// - Throws: `LedgerError` if the database can't be read, or a charge can't be understood.
  public func budgetCharges(of row: UsageRow) throws(LedgerError) -> [BudgetCharge] {
    let select = try connection.prepare(
      "SELECT budget_accounts FROM usage_logs WHERE request_id = ?")
    defer { select.reset() }
    select.bind(row.requestID.description)
    guard try select.step(), let text = select.text(0), !text.isEmpty else { return [] }
    var charges: [BudgetCharge] = []
    for part in text.split(separator: ",") {
      guard let charge = RecordedCharge(part) else {
        throw .unreadable(record: "a charge of \(row.requestID)")
      }
      charges.append(try budgetCharge(charge, of: row))
    }
    return charges
  }

  private func budgetCharge(
    _ charge: RecordedCharge, of row: UsageRow
  ) throws(LedgerError) -> BudgetCharge {
    let select = try connection.prepare("SELECT * FROM budget_accounts WHERE id = ?")
    defer { select.reset() }
    select.bind(charge.account)
    guard try select.step() else {
      throw .unreadable(record: "budget account \(charge.account) of \(row.requestID)")
    }
    let key = try BudgetAccountKey(from: ColumnReader(statement: select))
    let figures = charge.figures(of: row, in: key.currency)
    return BudgetCharge(account: key, tokens: figures.tokens, costNano: figures.costNano)
  }

  /// Returns the refusal of one request; nil if no budget refused it.
  /// - Throws: `LedgerError` if the database can't be read, or the row can't be understood.
  public func denial(_ requestID: RequestID) throws(LedgerError) -> DenialRow? {
    let select = try connection.prepare("SELECT * FROM denials WHERE request_id = ?")
    select.bind(requestID.description)
    return try select.firstRow(DenialRow.init(from:))
  }
}
