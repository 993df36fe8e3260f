internal import Budgets
internal import Money

/// What metrics say of a budget, small enough to keep of every one.
struct BudgetFigures: Sendable {
  let id: String
  let currency: String
  let usedTokens: Int64
  let heldTokens: Int64
  /// Nil where tokens aren't limited.
  let limitTokens: Int64?
  /// In nano-units of `currency`, like those that follow.
  let usedCost: Int64
  let heldCost: Int64
  /// Nil where cost isn't limited.
  let limitCost: Int64?

  init(_ status: AccountStatus) {
    id = "\(status.definition.id)"
    currency = status.settledCost.currency.code
    usedTokens = status.settledTokens
    heldTokens = status.heldTokens
    limitTokens = status.limitTokens
    usedCost = status.settledCost.nanoUnits
    heldCost = status.heldCost.nanoUnits
    limitCost = status.limitCost?.nanoUnits
  }
}
