internal import Money
public import Time

// What administrators do to a budget beside defining it. It is state, not declaration, and works on
// any budget.

extension BudgetState {
  /// Refuses every request until it is resumed. Requests in flight end well.
  public mutating func pause(
    _ target: Target, at now: Timestamp, events: inout [Event]
  ) throws(BudgetError) {
    try setPaused(true, target, at: now, events: &events)
  }

  /// Ends a pause by hand.
  public mutating func resume(
    _ target: Target, at now: Timestamp, events: inout [Event]
  ) throws(BudgetError) {
    try setPaused(false, target, at: now, events: &events)
  }

  /// Adds to the limits for a while. Replaces an earlier raise; one that has ended already, or that
  /// adds nothing, only ends that.
  public mutating func raise(
    _ target: Target, by raise: Raise, at now: Timestamp, events: inout [Event]
  ) throws(BudgetError) {
    let (budget, account) = try resolve(target, at: now)
    defer { assertInvariants() }
    let inForce = raise.until > now && raise.amount != .zero ? raise : nil
    budgets[budget].limitMayHaveShrunk = true
    if let account {
      // A raise of nothing keeps the subject out of the whole budget's raise for as long.
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

  /// Re-arms the alerts, and with `clear` forgets what is used so far. The window's end, holds and
  /// a pause by hand stay as they are.
  ///
  /// - Parameter asked: when the reset was recorded; after a restart, use counts again from there,
  ///   so it must from no earlier instant now, wherever the clock is. Nil for just now.
  /// - Returns: With `clear`, a charge of nothing for each account: recorded, it opens the window
  ///   from which use counts again, so that a restart doesn't bring back what was cleared.
  @discardableResult
  public mutating func reset(
    _ target: Target, use: ResetUse, asked: Timestamp? = nil, at now: Timestamp,
    events: inout [Event]
  ) throws(BudgetError) -> [Charge] {
    let (budget, account) = try resolve(target, at: now)
    defer { assertInvariants() }
    // Where limits are shared, all replicas must count on in the same window.
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

  /// The budget that is meant, and the account if only one is.
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
