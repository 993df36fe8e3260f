public import Budgets
public import Money
public import Time

/// What one request adds to the counter of one budget, subject and window.
public struct BudgetCharge: Hashable, Sendable {
  public var account: BudgetAccountKey
  public var tokens: Int64
  /// In nano-units of the account's currency.
  public var costNano: Int64

  public init(account: BudgetAccountKey, tokens: Int64, costNano: Int64) {
    self.account = account
    self.tokens = tokens
    self.costNano = costNano
  }
}

/// Which counter of `budget_accounts` is meant.
public struct BudgetAccountKey: Hashable, Sendable {
  public var budgetID: BudgetID
  /// Whose use is counted, such as `client:acme` or `user:u1`.
  public var subject: String
  /// As the configuration spells it, such as `monthly` or `30d`.
  public var period: String
  public var windowStart: Timestamp
  /// Nil for a window that never ends.
  public var windowEnd: Timestamp?
  /// What the cost is counted in.
  public var currency: Currency

  public init(
    budgetID: BudgetID, subject: String, period: String, windowStart: Timestamp,
    windowEnd: Timestamp?, currency: Currency
  ) {
    self.budgetID = budgetID
    self.subject = subject
    self.period = period
    self.windowStart = windowStart
    self.windowEnd = windowEnd
    self.currency = currency
  }
}

/// A counter as it was recorded.
public struct BudgetAccount: Hashable, Sendable {
  public var id: Int64
  public var key: BudgetAccountKey
  public var tokens: Int64
  public var cost: Money
}
