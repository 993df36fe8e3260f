public import Money

/// Identifies a counter in the ledger: one account of a budget in one of its windows.
public struct AccountKey: Hashable, Sendable {
  public let budget: BudgetID
  public let subject: Subject
  /// The period as `BudgetPeriod.description` writes it.
  public let period: String
  public let window: BudgetWindow
  /// The currency in which the account counts money.
  public let currency: Currency

  public init(
    budget: BudgetID, subject: Subject, period: String, window: BudgetWindow, currency: Currency
  ) {
    self.budget = budget
    self.subject = subject
    self.period = period
    self.window = window
    self.currency = currency
  }
}
