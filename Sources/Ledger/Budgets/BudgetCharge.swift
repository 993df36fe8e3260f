public import Budgets
public import Money
public import Time

/// The amount that one request adds to the counter of one budget, subject and window.
public struct BudgetCharge: Hashable, Sendable {
  public var account: BudgetAccountKey
  public var tokens: Int64
  /// The cost in nano-units of the account's currency.
  public var costNano: Int64
  /// The thresholds that the charge has reached. They are written in the same transaction.
  public var alerts: [Alert]
  /// The part that this replica's lease pays. Stored only in a spool, with the replica's ID. If
  /// another replica writes the charge than the one that forwarded the request, no lease pays.
  public var takenOffLease: Spend
  /// The request's part of this replica's lease while its hold is open. Stored only if the hold
  /// uses the offline reserve.
  public var heldOfLease: Spend
  /// The hold's own bound on this account while the hold is open; nil if the account holds the
  /// whole request. Stored only in intents and with deferred requests.
  public var part: Consumption?
  /// The part that the offline reserve pays. Not stored.
  var takenOffReserve = Spend.zero

  public init(
    account: BudgetAccountKey, tokens: Int64, costNano: Int64, alerts: [Alert] = [],
    takenOffLease: Spend = .zero, heldOfLease: Spend = .zero, part: Consumption? = nil
  ) {
    self.account = account
    self.tokens = tokens
    self.costNano = costNano
    self.alerts = alerts
    self.takenOffLease = takenOffLease
    self.heldOfLease = heldOfLease
    self.part = part
  }
}

extension BudgetCharge {
  /// Creates a charge from the budget state's charge.
  public init(_ charge: Charge) {
    self.init(
      account: BudgetAccountKey(
        budgetID: charge.budget, subject: charge.subject.description,
        period: charge.period.description, windowStart: charge.window.start,
        windowEnd: charge.window.end, currency: charge.cost.currency),
      tokens: charge.tokens, costNano: charge.cost.nanoUnits,
      alerts: charge.thresholds.map(Alert.init), takenOffLease: charge.takenOffLease,
      heldOfLease: charge.heldOfLease, part: charge.part)
  }
}

/// Identifies a counter of `budget_accounts`.
public struct BudgetAccountKey: Hashable, Sendable {
  public var budgetID: BudgetID
  /// The subject, for example `client:acme` or `user:u1`.
  public var subject: String
  /// The period as `BudgetPeriod.description` writes it, for example `monthly` or `30d`.
  public var period: String
  public var windowStart: Timestamp
  /// The end of the window; nil if it never ends.
  public var windowEnd: Timestamp?
  /// The currency of the cost.
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

/// A recorded counter.
public struct BudgetAccount: Hashable, Sendable {
  public var id: Int64
  public var key: BudgetAccountKey
  public var tokens: Int64
  public var cost: Money
}

extension BudgetAccount {
  /// The record from which the budget state restores the account; nil if the subject's kind is
  /// unknown. A negative figure can't be real, so the account then counts as used up.
  public var recordedUse: RecordedUse? {
    guard let subject = Subject(text: key.subject) else { return nil }
    return RecordedUse(
      budget: key.budgetID, subject: subject, period: key.period,
      window: BudgetWindow(start: key.windowStart, end: key.windowEnd),
      tokens: tokens < 0 ? .max : tokens,
      cost: cost.nanoUnits < 0 ? Money(nanoUnits: .max, currency: cost.currency) : cost)
  }
}
