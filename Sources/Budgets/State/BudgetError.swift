public import Money

/// The reason that a command to the budgets can't be carried out. A refused request isn't an error.
public enum BudgetError: Error, Hashable, Sendable {
  /// The hold has already ended.
  case unknownHold
  case unknownBudget(BudgetID)
  /// The subject's kind isn't the one that the budget counts by.
  case wrongSubject(Subject, BudgetID)
  /// The budget's currency has no exchange rate.
  case missingRate(Currency, BudgetID)
}
