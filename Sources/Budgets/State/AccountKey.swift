public import Money

/// By what the ledger tells counters apart: one account of a budget in one of its windows.
public struct AccountKey: Hashable, Sendable {
  public let budget: BudgetID
  public let subject: Subject
  /// As `BudgetPeriod` spells itself.
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
