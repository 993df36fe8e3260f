internal import Money
public import Time

/// What the ledger remembers of a hold whose work goes on beyond the process that took it.
public struct RecordedHold: Hashable, Sendable {
  /// One account that the hold stands on.
  public struct Place: Hashable, Sendable {
    public let budget: BudgetID
    public let subject: Subject
    /// As `BudgetPeriod` spells itself.
    public let period: String
    /// The window in which the hold was taken.
    public let window: BudgetWindow

    public init(budget: BudgetID, subject: Subject, period: String, window: BudgetWindow) {
      self.budget = budget
      self.subject = subject
      self.period = period
      self.window = window
    }
  }

  /// What is still set aside.
  public let bound: Consumption
  /// What `soft` budgets hold instead.
  public let estimate: Consumption
  public let places: [Place]

  public init(bound: Consumption, estimate: Consumption, places: [Place]) {
    self.bound = bound
    self.estimate = estimate
    self.places = places
  }
}

extension BudgetState {
  /// Takes a hold up again that an earlier process took.
  ///
  /// It was admitted then, so nothing is decided now: a limit that was lowered meanwhile is passed.
  /// Where its window has ended it sets nothing aside, and will be charged to that window. Budgets
  /// that aren't in force, and whose use is kept, are held too; others that are gone are left out.
  /// Use is restored before.
  ///
  /// Where limits are shared, what it holds isn't leased to this replica: until it is, nothing new
  /// is let through there, and `outstandingLeaseRequests` asks for it.
  public mutating func restore(_ recorded: RecordedHold, at now: Timestamp) -> Grant {
    defer { assertInvariants() }
    let portions = recorded.places.compactMap { place in
      restore(recorded, to: place, at: now)
    }
    let hold = holds.insert(
      HeldRequest(
        bound: recorded.bound, portions: portions.map(\.portion),
        credit: portions.lazy.compactMap(\.credit).first, conversation: nil))
    return Grant(
      hold: HoldID(handle: hold), clampedOutput: nil, bound: recorded.bound,
      tightest: tightest(of: portions.map(\.portion), at: now), leaseEpoch: leases.epoch)
  }

  private mutating func restore(
    _ recorded: RecordedHold, to place: RecordedHold.Place, at now: Timestamp
  ) -> (portion: Portion, credit: HeldCredit?)? {
    guard let (budget, index) = account(of: place, at: now) else { return nil }
    let definition = budgets[budget].definition
    // By its end: a reset moves the start of a window that stays open.
    let isOpen =
      accounts[index].window.end == place.window.end
      && definition.period.description == place.period
    var portion = Portion(
      account: index, epoch: isOpen ? accounts[index].epoch : accounts[index].epoch &- 1,
      window: isOpen ? accounts[index].window : place.window,
      currency: budgets[budget].currency, rate: budgets[budget].rate)
    accounts[index].liveHolds += 1
    guard isOpen else { return (portion, nil) }
    let credit =
      budgets[budget].isPlan
      ? holdCredit(for: recorded.bound, rates: policy.rates, on: index, at: now) : nil
    let need = definition.enforcement == .soft ? recorded.estimate : recorded.bound
    portion.held = accounts[index].held.addCountable(
      need.spend(in: portion.currency, at: portion.rate))
    if limitShortage(of: .zero, on: index, at: now) != nil {
      accounts[index].mayExceedLimit = true
    }
    if accounts[index].lease != nil { holdBeyondLease(on: index, at: now) }
    return (portion, credit)
  }

  /// The account that a hold stands on: of the budget in force if that counts the same, else of a
  /// removed one.
  private mutating func account(
    of place: RecordedHold.Place, at now: Timestamp
  ) -> (budget: Int, account: Int)? {
    let subject = place.subject.value
    let inForce = budgetByID[place.budget].flatMap { budget in
      budgets[budget].definition.per == place.subject.kind ? budget : nil
    }
    if let inForce, budgets[inForce].definition.period.description == place.period {
      return (inForce, account(of: inForce, subject: subject, at: now))
    }
    if let removed = removedBudget(of: place), let known = budgets[removed].accounts[subject] {
      return (removed, known)
    }
    return inForce.map { ($0, account(of: $0, subject: subject, at: now)) }
  }
}
