public import Budgets
public import Time

/// What administrators have set on a budget, or on one subject of it, as `budget_controls` records.
public struct BudgetControl: Hashable, Sendable {
  public var target: Target
  /// Nil for a subject that is as the whole budget.
  public var isPaused: Bool?
  public var raise: Raise?

  public init(target: Target, isPaused: Bool? = nil, raise: Raise? = nil) {
    self.target = target
    self.isPaused = isPaused
    self.raise = raise
  }
}

/// One reset of a budget, or of one subject of it, as `budget_resets` records.
public struct BudgetReset: Hashable, Sendable {
  /// Goes up with each reset.
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
