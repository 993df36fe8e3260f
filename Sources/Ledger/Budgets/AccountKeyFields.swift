internal import Budgets

extension BudgetAccountKey {
  /// Creates the key of the counter for an account of the budget state.
  init(_ key: AccountKey) {
    self.init(
      budgetID: key.budget, subject: key.subject.description, period: key.period,
      windowStart: key.window.start, windowEnd: key.window.end, currency: key.currency)
  }

  /// The account that the counter belongs to; nil if the subject's kind is unknown.
  var accountKey: AccountKey? {
    guard let subject = Subject(text: subject) else { return nil }
    return AccountKey(
      budget: budgetID, subject: subject, period: period,
      window: BudgetWindow(start: windowStart, end: windowEnd), currency: currency)
  }
}
