public import Money
internal import Time

/// One budget's count for one subject.
struct Account: Sendable {
  /// The index of the account's budget.
  let budget: Int
  /// The subject's name within the budget's kind.
  let subject: String
  /// Increases with each window, so that a hold knows whether its window is still open.
  private(set) var epoch: UInt32 = 0
  private(set) var window: BudgetWindow
  var settled = Spend.zero
  /// The sum of the live holds that were taken in this window.
  var held = Spend.zero
  /// The number of live holds, of this window and of earlier ones.
  var liveHolds = 0
  /// Whether requests wait for this account.
  var isQueued = false
  /// Whether an administrator paused or resumed this subject; nil if the whole budget's state
  /// applies.
  var isPaused: Bool?
  /// Added to this subject's limits instead of the whole budget's raise.
  var raise: Raise?
  /// The highest percentage that was reported in this window; 0 for none.
  var highestAlert = 0
  /// Whether a refusal was reported in this window.
  var hasRefused = false
  /// The used-up unit, if the latest decision was a refusal that left too little for a useful
  /// answer; nil otherwise.
  var exhaustedUnit: LimitUnit?
  /// Whether use may exceed the limit for a reason that no admission could prevent.
  var mayExceedLimit = false
  /// The tokens of this window's settled use that credits have paid for.
  var paidByCredits: Int64 = 0
  /// The tokens of this window's holds that credits would pay for.
  var heldOnCredits: Int64 = 0
  /// Whether the window starts later than other accounts' windows, because use was cleared. The
  /// account must then not be forgotten: a new account would count the cleared use.
  private var wasCleared = false
  /// Whether the account's budget isn't in force. The account is then kept only for live holds, or
  /// for use of an open window.
  var isRetired = false
  /// This replica's lease of the limit; nil if the limit isn't shared.
  var lease: Lease?

  /// The value of `highestAlert` for restored use of a budget that isn't in force: its reported
  /// alerts are unknown.
  static let unknownAlert = -1

  init(budget: Int, subject: String, window: BudgetWindow) {
    self.budget = budget
    self.subject = subject
    self.window = window
  }

  /// Starts a new window from zero. Live holds belong to the window that has ended.
  mutating func begin(_ window: BudgetWindow) {
    self.window = window
    epoch &+= 1
    settled = .zero
    held = .zero
    heldOnCredits = 0
    paidByCredits = 0
    highestAlert = 0
    hasRefused = false
    exhaustedUnit = nil
    mayExceedLimit = false
    wasCleared = false
  }

  /// Counts from zero in another window that is open now, and keeps the live holds.
  mutating func move(to window: BudgetWindow) {
    self.window = window
    settled = .zero
    paidByCredits = 0
    highestAlert = 0
    hasRefused = false
    exhaustedUnit = nil
    mayExceedLimit = true
    wasCleared = false
  }

  /// Clears the settled use in the same window, and keeps the live holds.
  ///
  /// The window now starts at `now`, so that later charges go to another record in the ledger than
  /// the cleared use.
  mutating func clear(at now: Timestamp) {
    let earliest = window.start.advanced(by: .milliseconds(1))
    window = window.starting(noEarlierThan: max(now, earliest))
    settled = .zero
    paidByCredits = 0
    wasCleared = true
  }

  /// Moves the window's end after the calendar that sets it has changed.
  mutating func endWindow(at end: Timestamp?) {
    window = BudgetWindow(start: window.start, end: end)
  }

  /// Restores the ledger's record of this window.
  ///
  /// - Parameter isShortened: Whether the window starts later than the calendar says.
  mutating func restore(
    _ window: BudgetWindow, isShortened: Bool, settled: Spend, paidByCredits: Int64
  ) {
    self.window = window
    wasCleared = isShortened
    self.settled = settled
    self.paidByCredits = paidByCredits
  }

  /// Returns the limit minus settled and held; negative if the limit is passed.
  func remainder(of limit: Int64, in unit: LimitUnit) -> Int128 {
    Int128(limit) - Int128(settled[unit]) - Int128(held[unit])
  }

  /// Whether `need` can be held beside everything else. A limit of zero allows nothing.
  func fits(_ need: Int64, in unit: LimitUnit, of limit: Int64) -> Bool {
    limit > 0 && Int128(need) <= remainder(of: limit, in: unit)
  }

  /// Whether `need` could be held if every other hold ended without use. A limit of zero allows
  /// nothing.
  func couldFit(_ need: Int64, in unit: LimitUnit, of limit: Int64) -> Bool {
    limit > 0 && Int128(settled[unit]) + Int128(need) <= Int128(limit)
  }

  /// Whether the account can be forgotten without loss, because a new account would have the same
  /// state.
  func isIdle(at now: Timestamp) -> Bool {
    let isRaised = raise.map { now < $0.until } ?? false
    guard liveHolds == 0, !isQueued, isPaused == nil, !isRaised else { return false }
    return window.hasEnded(at: BudgetState.earliestClock(after: now))
      || (settled == .zero && !wasCleared && !hasRefused && exhaustedUnit == nil)
  }
}

/// Identifies a counter in the ledger: one account of a budget in one of its windows.
public struct AccountKey: Hashable, Sendable {
  public let budget: BudgetID
  public let subject: Subject
  /// The period as `BudgetPeriod.description` writes it.
  public let period: String
  public let window: BudgetWindow
  /// The currency in which the account counts money.
  public let currency: Currency

  public init(
    budget: BudgetID, subject: Subject, period: String, window: BudgetWindow, currency: Currency
  ) {
    self.budget = budget
    self.subject = subject
    self.period = period
    self.window = window
    self.currency = currency
  }
}
