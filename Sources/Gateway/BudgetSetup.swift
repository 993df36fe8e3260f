public import Budgets

/// What the budgets are told at a start and with every change: it comes into force as one.
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
}

extension Gateway {
  /// Puts changed budgets in force: those that stay the same keep what was used of them.
  public func configure(_ setup: BudgetSetup) throws(BudgetError) {
    try desk.configure(setup)
  }

  /// Counts what was recorded before a plan counted it: of budgets, and the conversations that
  /// each client has begun.
  public func recall(_ uses: [RecordedUse], conversations: [String: [String]]) {
    desk.recall(uses, conversations: conversations)
  }
}
