public import Budgets
public import Time

/// An administrator's settings for a budget, or for one of its subjects, as `budget_controls`
/// records them.
public struct BudgetControl: Hashable, Sendable {
  public var target: Target
  /// Whether the target is paused; nil if a subject follows the whole budget.
  public var isPaused: Bool?
  public var raise: Raise?

  public init(target: Target, isPaused: Bool? = nil, raise: Raise? = nil) {
    self.target = target
    self.isPaused = isPaused
    self.raise = raise
  }
}

/// One reset of a budget, or of one of its subjects, as `budget_resets` records it.
public struct BudgetReset: Hashable, Sendable {
  /// Increases with each reset.
  public var id: Int64
  public var target: Target
  public var use: ResetUse
  public var at: Timestamp

  public init(id: Int64, target: Target, use: ResetUse, at: Timestamp) {
    self.id = id
    self.target = target
    self.use = use
    self.at = at
  }
}
