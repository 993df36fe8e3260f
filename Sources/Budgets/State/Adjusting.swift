internal import Money
public import Time

// An administrator's changes to a budget besides its definition. They are state, not declarations,
// and work on any budget.

extension BudgetState {
  /// Refuses every new request until the target is resumed. Requests in flight continue.
  /// - Throws: `BudgetError.unknownBudget` or `BudgetError.wrongSubject`.
  public mutating func pause(
    _ target: Target, at now: Timestamp, events: inout [Event]
  ) throws(BudgetError) {
    try setPaused(true, target, at: now, events: &events)
  }

  /// Ends an administrator's pause.
  /// - Throws: `BudgetError.unknownBudget` or `BudgetError.wrongSubject`.
  public mutating func resume(
    _ target: Target, at now: Timestamp, events: inout [Event]
  ) throws(BudgetError) {
    try setPaused(false, target, at: now, events: &events)
  }

  /// Raises the limits for a limited time, in place of an earlier raise. A raise that has already
  /// ended, or that adds nothing, only removes the earlier one.
  ///
  /// Example: a limit of 1,000 tokens raised by 500 and then by 200 is 1,200.
  /// - Throws: `BudgetError.unknownBudget` or `BudgetError.wrongSubject`.
  public mutating func raise(
    _ target: Target, by raise: Raise, at now: Timestamp, events: inout [Event]
  ) throws(BudgetError) {
    let (budget, account) = try resolve(target, at: now)
    defer { assertInvariants() }
    let inForce = raise.until > now && raise.amount != .zero ? raise : nil
    budgets[budget].limitMayHaveShrunk = true
    if let account {
      // An empty raise exempts the subject from the whole budget's raise for the same time.
      accounts[account].raise = inForce ?? (budgets[budget].raise == nil ? nil : raise)
    } else {
      budgets[budget].raise = inForce
      for account in budgets[budget].accounts.values { accounts[account].raise = nil }
    }
    for account in meant(account, of: budget) {
      setLimitPause(nil, on: account, at: now, events: &events)
    }
    serve(budget: budget, at: now, events: &events)
  }

  /// Re-arms the alerts, and with `clear` also discards the use so far. The window's end, holds and
  /// an administrator's pause stay unchanged.
  ///
  /// - Parameter asked: The time at which the reset was recorded; nil for `now`. After a restart,
  ///   use counts from that time, so the window must not start earlier, whatever the clock says
  ///   now.
  /// - Returns: With `clear`, an empty charge for each account. Its record opens the window from
  ///   which use counts again, so that a restart doesn't bring the cleared use back.
  /// - Throws: `BudgetError.unknownBudget` or `BudgetError.wrongSubject`.
  @discardableResult
  public mutating func reset(
    _ target: Target, use: ResetUse, asked: Timestamp? = nil, at now: Timestamp,
    events: inout [Event]
  ) throws(BudgetError) -> [Charge] {
    let (budget, account) = try resolve(target, at: now)
    defer { assertInvariants() }
    // If limits are shared, all replicas must count in the same window.
    let instant = policy.sharesLimits ? asked ?? now : max(now, asked ?? now)
    if use == .clear, account == nil { budgets[budget].clear(at: instant) }
    if budgets[budget].isPlan {
      conversationCounts[budgets[budget].definition.id.client]?.rearm()
    }
    var charges: [Charge] = []
    for account in meant(account, of: budget) {
      catchUp(account, with: now)
      accounts[account].highestAlert = 0
      accounts[account].hasRefused = false
      setLimitPause(nil, on: account, at: now, events: &events)
      if use == .clear {
        if policy.sharesLimits { endLease(on: account) }
        accounts[account].clear(at: instant)
        if policy.sharesLimits { openLease(on: account, at: now) }
        charges.append(
          charge(.zero, to: account, in: accounts[account].window, takingOffLease: .zero))
      }
    }
    serve(budget: budget, at: now, events: &events)
    return charges
  }

  private mutating func setPaused(
    _ isPaused: Bool, _ target: Target, at now: Timestamp, events: inout [Event]
  ) throws(BudgetError) {
    let (budget, account) = try resolve(target, at: now)
    defer { assertInvariants() }
    if let account {
      accounts[account].isPaused = isPaused == budgets[budget].isPaused ? nil : isPaused
    } else {
      budgets[budget].isPaused = isPaused
      for account in budgets[budget].accounts.values { accounts[account].isPaused = nil }
    }
    serve(budget: budget, at: now, events: &events)
  }

  /// Returns the target's budget, and its account if the target names one subject.
  private mutating func resolve(
    _ target: Target, at now: Timestamp
  ) throws(BudgetError) -> (budget: Int, account: Int?) {
    guard let budget = budgetByID[target.budget] else { throw .unknownBudget(target.budget) }
    guard let subject = target.subject else { return (budget, nil) }
    guard subject.kind == budgets[budget].definition.per else {
      throw .wrongSubject(subject, target.budget)
    }
    return (budget, account(of: budget, subject: subject.value, at: now))
  }

  private func meant(_ account: Int?, of budget: Int) -> [Int] {
    if let account { return [account] }
    return budgets[budget].accounts.values.sorted()
  }
}
