public import Budgets
public import Money
public import Time

/// What one request adds to the counter of one budget, subject and window.
public struct BudgetCharge: Hashable, Sendable {
  public var account: BudgetAccountKey
  public var tokens: Int64
  /// In nano-units of the account's currency.
  public var costNano: Int64
  /// What the account has reached by it; written in the same transaction.
  public var alerts: [Alert]
  /// What this replica's lease pays of it. Kept only in a spool, with the replica's id: what is
  /// written by another than the one that forwarded the request is paid by none.
  public var takenOffLease: Spend
  /// What the request's hold has of this replica's lease as long as it is open; kept only where it
  /// stands on the offline reserve.
  public var heldOfLease: Spend
  /// What the offline reserve pays of it. Kept nowhere.
  var takenOffReserve = Spend.zero

  public init(
    account: BudgetAccountKey, tokens: Int64, costNano: Int64, alerts: [Alert] = [],
    takenOffLease: Spend = .zero, heldOfLease: Spend = .zero
  ) {
    self.account = account
    self.tokens = tokens
    self.costNano = costNano
    self.alerts = alerts
    self.takenOffLease = takenOffLease
    self.heldOfLease = heldOfLease
  }
}

extension BudgetCharge {
  /// What the budget core says that an account was charged.
  public init(_ charge: Charge) {
    self.init(
      account: BudgetAccountKey(
        budgetID: charge.budget, subject: charge.subject.description,
        period: charge.period.description, windowStart: charge.window.start,
        windowEnd: charge.window.end, currency: charge.cost.currency),
      tokens: charge.tokens, costNano: charge.cost.nanoUnits,
      alerts: charge.thresholds.map(Alert.init), takenOffLease: charge.takenOffLease,
      heldOfLease: charge.heldOfLease)
  }
}

/// Which counter of `budget_accounts` is meant.
public struct BudgetAccountKey: Hashable, Sendable {
  public var budgetID: BudgetID
  /// Whose use is counted, such as `client:acme` or `user:u1`.
  public var subject: String
  /// As `BudgetPeriod` spells itself, such as `monthly` or `30d`.
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

extension BudgetAccount {
  /// What the budget core restores the account from; nil when the subject's kind is unknown. Less
  /// than nothing can't have been used: such an account counts as used up.
  public var recordedUse: RecordedUse? {
    guard let subject = Subject(text: key.subject) else { return nil }
    return RecordedUse(
      budget: key.budgetID, subject: subject, period: key.period,
      window: BudgetWindow(start: key.windowStart, end: key.windowEnd),
      tokens: tokens < 0 ? .max : tokens,
      cost: cost.nanoUnits < 0 ? Money(nanoUnits: .max, currency: cost.currency) : cost)
  }
}
