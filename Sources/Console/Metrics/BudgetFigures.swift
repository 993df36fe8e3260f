internal import Budgets
internal import Money
internal import Time

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

  /// Budgets that are read at a time: requests wait for it.
  private static let batchSize = 64

  /// Those of all budgets in use.
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
