public import Budgets
internal import JSON
public import Ledger
public import Time

/// A budget as the API shows it, for those who tell of it elsewhere.
public enum BudgetObject {
  /// The account of one subject, a JSON object; nil where the budget is gone.
  ///
  /// - Parameter subject: such as `user:u1`.
  public static func json(
    of id: BudgetID, subject text: String, in server: any RunningServer, at now: Timestamp
  ) throws(LedgerError) -> [UInt8]? {
    guard let subject = Subject(text: text) else { return nil }
    let status = server.readBudgets { try? $0.status(of: id, for: subject, at: now) }
    guard let status else { return nil }
    let reader = try LedgerReader(path: server.ledgerPath)
    let forms = try BudgetForm.forms([status], reader, server.settings, at: now)
    guard let form = forms.first else { return nil }
    var writer = JSONWriter()
    form.write(to: &writer)
    return writer.bytes
  }
}
