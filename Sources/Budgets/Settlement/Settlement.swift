public import Money

/// What one account was charged for one request, and what it reached by that: recorded in the same
/// commit as the request's row.
public struct Charge: Hashable, Sendable {
  public let budget: BudgetID
  public let subject: Subject
  public let period: BudgetPeriod
  /// The window that the hold was taken in, even if it has ended since.
  public let window: BudgetWindow
  public let tokens: Int64
  public let cost: Money
  /// What of it is taken off this replica's lease, as far as the ledger has leased so much; nought
  /// where the limit isn't shared.
  public let takenOffLease: Spend
  /// What the hold has of this replica's lease, as long as it isn't ended; nought where the limit
  /// isn't shared, and where credits may pay a part.
  public let heldOfLease: Spend
  /// Percentages of its limits that the account has reached by this charge.
  public let thresholds: [Threshold]
}

/// How a hold ended.
public struct Settlement: Sendable {
  /// One for each budget that applied, whether it limits what is charged or only counts it.
  public let charges: [Charge]
  /// What credits pay of it, beyond the plan.
  public let draws: [CreditDraw]
  /// What is left of the tightest budget; nil where none applies.
  public let tightest: Remainder?

  public init(charges: [Charge], draws: [CreditDraw] = [], tightest: Remainder?) {
    self.charges = charges
    self.draws = draws
    self.tightest = tightest
  }
}

/// What the ledger remembers of an account.
public struct RecordedUse: Hashable, Sendable {
  public let budget: BudgetID
  public let subject: Subject
  /// As `BudgetPeriod` spells itself.
  public let period: String
  public let window: BudgetWindow
  public let tokens: Int64
  public let cost: Money
  /// Those of the tokens that credits have paid; only of a plan.
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
