public import Money

/// Why a command to the budgets can't be carried out. A refusal is an answer, not an error.
public enum BudgetError: Error, Hashable, Sendable {
  /// The hold has been ended already.
  case unknownHold
  case unknownBudget(BudgetID)
  /// The subject isn't of the kind that the budget counts by.
  case wrongSubject(Subject, BudgetID)
  /// A budget counts in a currency for which there is no rate.
  case missingRate(Currency, BudgetID)
}
