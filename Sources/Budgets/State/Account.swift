internal import Time

/// What one budget counts for one subject.
struct Account: Sendable {
  /// The index of its budget.
  let budget: Int
  /// The subject's name within the budget's kind.
  let subject: String
  /// Goes up with each window, so that a hold knows whether its window is still open.
  private(set) var epoch: UInt32 = 0
  private(set) var window: BudgetWindow
  var settled = Spend.zero
  /// The sum of the holds that were taken in this window and live.
  var held = Spend.zero
  /// Holds that live, of this window and of earlier ones.
  var liveHolds = 0
  /// Whether requests wait for this account.
  var isQueued = false
  /// Paused or resumed by hand; nil where the whole budget's state decides.
  var isPaused: Bool?
  /// Added to the limits for this subject, in place of the whole budget's raise.
  var raise: Raise?
  /// The highest percentage reported in this window.
  var highestAlert = 0
  /// Whether a refusal was reported in this window.
  var hasRefused = false
  /// Set while the latest decision here was a refusal that left too little for a useful answer.
  var exhaustedUnit: LimitUnit?
  /// Whether use may lie above the limit for a reason that no admission could prevent.
  var mayExceedLimit = false
  /// Tokens of this window's settled use that credits have paid.
  var paidByCredits: Int64 = 0
  /// Tokens of this window's holds that credits would pay.
  var heldOnCredits: Int64 = 0
  /// Whether the window starts later than others', since use was cleared: a new account would
  /// count into what no longer counts.
  private var wasCleared = false
  /// Whether its budget isn't in force: only holds that still live keep it, or use whose window is
  /// open.
  var isRetired = false
  /// What this replica may use of the limit; nil where it is nobody else's.
  var lease: Lease?

  /// The `highestAlert` of use whose alerts nobody knows, since its budget isn't in force.
  static let unknownAlert = -1

  init(budget: Int, subject: String, window: BudgetWindow) {
    self.budget = budget
    self.subject = subject
    self.window = window
  }

  /// Starts again from nothing. Holds that live belong to the window that has ended.
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

  /// Counts from nothing in another window that is open now, with the holds that live.
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

  /// Forgets what is settled and goes on in the same window, with the holds that live.
  ///
  /// The window starts at `now`: what is charged from here on is another record in the ledger than
  /// what no longer counts.
  mutating func clear(at now: Timestamp) {
    let earliest = window.start.advanced(by: .milliseconds(1))
    window = window.starting(noEarlierThan: max(now, earliest))
    settled = .zero
    paidByCredits = 0
    wasCleared = true
  }

  /// Moves the end of the window, when the calendar that sets it has changed.
  mutating func endWindow(at end: Timestamp?) {
    window = BudgetWindow(start: window.start, end: end)
  }

  /// Goes on with what the ledger remembers of this window.
  ///
  /// - Parameter isShortened: whether it starts later than the calendar says.
  mutating func restore(
    _ window: BudgetWindow, isShortened: Bool, settled: Spend, paidByCredits: Int64
  ) {
    self.window = window
    wasCleared = isShortened
    self.settled = settled
    self.paidByCredits = paidByCredits
  }

  /// The limit without what is settled and held; negative where it is passed.
  func remainder(of limit: Int64, in unit: LimitUnit) -> Int128 {
    Int128(limit) - Int128(settled[unit]) - Int128(held[unit])
  }

  /// Whether `need` can be held besides everything else. A limit of nought allows nothing.
  func fits(_ need: Int64, in unit: LimitUnit, of limit: Int64) -> Bool {
    limit > 0 && Int128(need) <= remainder(of: limit, in: unit)
  }

  /// Whether `need` could be held if every other hold ended at nothing.
  func couldFit(_ need: Int64, in unit: LimitUnit, of limit: Int64) -> Bool {
    limit > 0 && Int128(settled[unit]) + Int128(need) <= Int128(limit)
  }

  /// Whether nothing is lost by forgetting the account: it says no more than a new one would.
  func isIdle(at now: Timestamp) -> Bool {
    let isRaised = raise.map { now < $0.until } ?? false
    guard liveHolds == 0, !isQueued, isPaused == nil, !isRaised else { return false }
    return window.hasEnded(at: BudgetState.earliestClock(after: now))
      || (settled == .zero && !wasCleared && !hasRefused && exhaustedUnit == nil)
  }
}
