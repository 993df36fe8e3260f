internal import Money
public import Time

/// The ledger's record of a hold whose work outlives the process that took it.
public struct RecordedHold: Hashable, Sendable {
  /// One account on which the hold stands.
  public struct Place: Hashable, Sendable {
    public let budget: BudgetID
    public let subject: Subject
    /// The period as `BudgetPeriod.description` writes it.
    public let period: String
    /// The window in which the hold was taken.
    public let window: BudgetWindow
    /// The part of the request that the account holds; nil for the whole.
    public let part: Consumption?

    public init(
      budget: BudgetID, subject: Subject, period: String, window: BudgetWindow,
      part: Consumption? = nil
    ) {
      self.part = part
      self.budget = budget
      self.subject = subject
      self.period = period
      self.window = window
    }
  }

  /// The amount still set aside.
  public let bound: Consumption
  /// The amount that `soft` budgets hold instead.
  public let estimate: Consumption
  public let places: [Place]

  public init(bound: Consumption, estimate: Consumption, places: [Place]) {
    self.bound = bound
    self.estimate = estimate
    self.places = places
  }
}

extension BudgetState {
  /// Takes up a hold again that an earlier process took.
  ///
  /// The earlier process admitted the request, so `restore` decides nothing: the hold may exceed a
  /// limit that was lowered since. If the hold's window has ended, nothing is set aside, and the
  /// use will be charged to that window. A budget that isn't in force but whose use is kept is held
  /// on too; other missing budgets are left out. Call it after use is restored.
  ///
  /// A part is held in full, even if the earlier process had settled some of it: the ledger has the
  /// rest of the whole alone.
  ///
  /// If limits are shared, this replica has no lease for the hold yet. Until
  /// `outstandingLeaseRequests` has obtained one, the account admits nothing new.
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
    // Windows are compared by their ends: a reset moves the start of a window that stays open.
    let isOpen =
      accounts[index].window.end == place.window.end
      && definition.period.description == place.period
    var portion = Portion(
      account: index, epoch: isOpen ? accounts[index].epoch : accounts[index].epoch &- 1,
      window: isOpen ? accounts[index].window : place.window,
      currency: budgets[budget].currency, rate: budgets[budget].rate)
    portion.part = place.part.map {
      HeldPart(of: [place.subject.value], DemandPart(bound: $0, estimate: $0))
    }
    accounts[index].liveHolds += 1
    guard isOpen else { return (portion, nil) }
    let credit =
      budgets[budget].isPlan
      ? holdCredit(for: recorded.bound, rates: policy.rates, on: index, at: now) : nil
    let need =
      place.part ?? (definition.enforcement == .soft ? recorded.estimate : recorded.bound)
    portion.held = accounts[index].held.addCountable(
      need.spend(in: portion.currency, at: portion.rate))
    if limitShortage(of: .zero, on: index, at: now) != nil {
      accounts[index].mayExceedLimit = true
    }
    if accounts[index].lease != nil { holdBeyondLease(on: index, at: now) }
    return (portion, credit)
  }

  /// Returns the account of a hold: in the budget in force if it counts the same, otherwise in a
  /// removed budget.
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
