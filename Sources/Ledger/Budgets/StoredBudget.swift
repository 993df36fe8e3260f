public import Budgets
public import Time

/// A budget that no file declares, as `client_budgets` records it.
public struct StoredBudget: Hashable, Sendable {
  public var id: BudgetID
  public var per: BudgetDefinition.Per
  public var limit: BudgetLimit
  /// The period as `BudgetPeriod.description` writes it.
  public var period: String
  public var enforcement: BudgetDefinition.Enforcement
  /// Percentages, ascending.
  public var alerts: [Int]
  public var createdAt: Timestamp
  public var updatedAt: Timestamp

  public init(
    id: BudgetID, per: BudgetDefinition.Per, limit: BudgetLimit, period: String,
    enforcement: BudgetDefinition.Enforcement, alerts: [Int], createdAt: Timestamp,
    updatedAt: Timestamp? = nil
  ) {
    self.id = id
    self.per = per
    self.limit = limit
    self.period = period
    self.enforcement = enforcement
    self.alerts = alerts
    self.createdAt = createdAt
    self.updatedAt = updatedAt ?? createdAt
  }
}

/// The times at which a budget, declared or not, was created and last changed.
public struct BudgetDates: Hashable, Sendable {
  public var createdAt: Timestamp
  public var updatedAt: Timestamp
}
