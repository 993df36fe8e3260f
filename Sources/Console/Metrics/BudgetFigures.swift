internal import Budgets
internal import Money
internal import Time

/// A budget's figures for metrics, small enough to keep for every budget.
struct BudgetFigures: Sendable {
  let id: String
  let currency: String
  let usedTokens: Int64
  let heldTokens: Int64
  /// Nil if the budget doesn't limit tokens.
  let limitTokens: Int64?
  /// In nano-units of `currency`, as are the following.
  let usedCost: Int64
  let heldCost: Int64
  /// Nil if the budget doesn't limit cost.
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

  /// How many budgets are read at a time, since requests wait meanwhile.
  private static let batchSize = 64

  /// The figures of all budgets in use.
  static func all(of server: any RunningServer, at now: Timestamp) -> [BudgetFigures] {
    let ids = server.readBudgets { $0.definitions.map(\.id) }
    var figures: [BudgetFigures] = []
    for start in stride(from: 0, to: ids.count, by: batchSize) {
      let batch = ids[start..<min(start + batchSize, ids.count)]
      figures += server.readBudgets { budgets in
        batch.compactMap { try? budgets.status(of: $0, at: now) }.map { BudgetFigures($0) }
      }
    }
    return figures.sorted { $0.id < $1.id }
  }
}
