public import Budgets
public import Ledger

extension Gateway {
  /// Puts what administrators did to budgets in force.
  ///
  /// - Parameter former: what was set when this was last called.
  public func apply(_ controls: BudgetControls, replacing former: [BudgetControl]) {
    controller.apply(controls, replacing: former)
  }

  /// Another number whenever something was held, settled, refused or set.
  public var budgetRevision: UInt64 { controller.revision }

  /// Reads how the budgets stand, all as of one instant.
  public func readBudgets<Answer: Sendable>(
    _ body: @Sendable (BudgetState) -> Answer
  ) -> Answer {
    controller.read(body)
  }
}
