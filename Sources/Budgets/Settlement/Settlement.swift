public import Money

/// The amount that one request charged to one account, and the thresholds that it reached. The
/// ledger records it in the same commit as the request's row.
public struct Charge: Hashable, Sendable {
  public let budget: BudgetID
  public let subject: Subject
  public let period: BudgetPeriod
  /// The window in which the hold was taken, even if it has ended since.
  public let window: BudgetWindow
  public let tokens: Int64
  public let cost: Money
  /// The part that is subtracted from this replica's lease, as far as the ledger has leased that
  /// much; zero if the limit isn't shared.
  public let takenOffLease: Spend
  /// The hold's part of this replica's lease until the hold ends. Zero if the limit isn't shared,
  /// or if credits may pay for a part.
  public let heldOfLease: Spend
  /// The hold's own bound on this account while the hold is open. Nil if the account holds the
  /// whole request.
  public let part: Consumption?
  /// Percentages of its limits that the account has reached by this charge.
  public let thresholds: [Threshold]
}

/// The result of ending a hold.
public struct Settlement: Sendable {
  /// One charge for each budget that applied, whether it limits that unit or only counts it.
  public let charges: [Charge]
  /// The part that credits pay for, beyond the plan.
  public let draws: [CreditDraw]
  /// The remainder of the tightest budget; nil if no budget applies.
  public let tightest: Remainder?

  public init(charges: [Charge], draws: [CreditDraw] = [], tightest: Remainder?) {
    self.charges = charges
    self.draws = draws
    self.tightest = tightest
  }
}

/// The ledger's record of an account's use.
public struct RecordedUse: Hashable, Sendable {
  public let budget: BudgetID
  public let subject: Subject
  /// The period as `BudgetPeriod.description` writes it.
  public let period: String
  public let window: BudgetWindow
  public let tokens: Int64
  public let cost: Money
  /// The tokens that credits have paid for; always zero unless the budget is a plan's.
  public let paidByCredits: Int64

  public init(
    budget: BudgetID, subject: Subject, period: String, window: BudgetWindow, tokens: Int64,
    cost: Money, paidByCredits: Int64 = 0
  ) {
    self.budget = budget
    self.subject = subject
    self.period = period
    self.window = window
    self.tokens = max(0, tokens)
    self.cost = cost.nanoUnits < 0 ? Money(nanoUnits: 0, currency: cost.currency) : cost
    self.paidByCredits = max(0, paidByCredits)
  }
}
