public import Budgets
public import Ledger
internal import Money

/// The budgets, credits and limits of a start or a change, which come into force together.
public struct BudgetSetup: Sendable {
  public var budgets: [BudgetDefinition]
  public var conversationLimits: [ConversationLimit]
  /// Those that can still be drawn from.
  public var credits: [Credit]
  public var policy: BudgetPolicy

  public init(
    budgets: [BudgetDefinition], conversationLimits: [ConversationLimit], credits: [Credit],
    policy: BudgetPolicy
  ) {
    self.budgets = budgets
    self.conversationLimits = conversationLimits
    self.credits = credits
    self.policy = policy
  }

  /// The budgets, but for plans, that `former` doesn't have, or that count otherwise there.
  public func returning(since former: BudgetSetup) -> Set<BudgetID> {
    let known = Dictionary(former.budgets.map { ($0.id, $0) }) { first, _ in first }
    let others = budgets.filter { budget in
      !budget.id.isPlan && known[budget.id].map { !budget.countsAs($0) } ?? true
    }
    return Set(others.map(\.id))
  }
}

extension BudgetDefinition {
  fileprivate func countsAs(_ other: BudgetDefinition) -> Bool {
    per == other.per && period == other.period && limit.cost?.currency == other.limit.cost?.currency
  }
}

extension Gateway {
  /// Puts changed budgets in force: those that stay the same keep what was used of them.
  ///
  /// - Parameter former: the setup in force. Where its budgets are the same, requests don't wait
  ///   until all of them were gone through.
  /// - Throws: `BudgetError.missingRate`; the former budgets are then still in force.
  public func configure(
    _ setup: BudgetSetup, replacing former: BudgetSetup
  ) throws(BudgetError) {
    try controller.configure(setup, replacing: former)
  }

  /// Counts what was recorded before a plan counted it: of budgets, and the conversations that
  /// each client has begun.
  public func recall(_ uses: [RecordedUse], conversations: [String: [String]]) {
    controller.recall(uses, conversations: conversations)
  }
}

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
