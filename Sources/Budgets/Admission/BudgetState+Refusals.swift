internal import Money
internal import Time

// Decides why a request is refused, and builds the refusal.

extension BudgetState {
  /// Returns the refusal to report; nil if every budget could pay once all holds have ended.
  ///
  /// If several budgets refuse, the one whose window ends last is reported, so that no app is told
  /// to return too early.
  func refusal(
    of demand: Demand, on portions: [Portion], at now: Timestamp
  ) -> (portion: Portion, obstacle: Obstacle)? {
    var latest: (portion: Portion, obstacle: Obstacle)?
    for portion in portions {
      guard let obstacle = obstacle(to: demand, on: portion, at: now) else { continue }
      guard let other = latest else {
        latest = (portion, obstacle)
        continue
      }
      if isLater(reset(of: portion, obstacle), than: reset(of: other.portion, other.obstacle)) {
        latest = (portion, obstacle)
      }
    }
    return latest
  }

  /// Returns the obstacle on one account that would remain even if all holds ended.
  private func obstacle(
    to demand: Demand, on portion: Portion, at now: Timestamp
  ) -> Obstacle? {
    if isPaused(portion.account) { return .paused }
    switch enforcement(on: portion) {
    case .hard: return unpayableUnit(of: demand, on: portion, at: now).map(Obstacle.limit)
    case .soft: return exhaustedUnit(of: accounts[portion.account], at: now).map(Obstacle.limit)
    case .shadow: return nil
    }
  }

  /// Returns the unit in which an account couldn't pay for the request's least output even if all
  /// holds ended without use.
  private func unpayableUnit(
    of demand: Demand, on portion: Portion, at now: Timestamp
  ) -> LimitUnit? {
    let account = accounts[portion.account]
    let limits = limits(of: account, at: now)
    let least = portion.own(demand.bound(output: demand.leastOutput))
    if budgets[account.budget].isPlan {
      return unitUnpayableByPlan(least, of: demand, on: portion, at: now)
    }
    let need = least.spend(in: portion.currency, at: portion.rate)
    return LimitUnit.allCases.first { unit in
      limits[unit].map { !account.couldFit(need[unit], in: unit, of: $0) } ?? false
    }
  }

  private func unitUnpayableByPlan(
    _ least: Consumption, of demand: Demand, on portion: Portion, at now: Timestamp
  ) -> LimitUnit? {
    let need = least.spend(in: portion.currency, at: portion.rate)
    let unit = planCouldNotPay(need, on: portion.account, at: now)
    if unit == .tokens,
      creditsPay(least, of: demand, on: portion, afterHolds: true, within: .whole, at: now)
    {
      return nil
    }
    return unit
  }

  /// Returns the unit in which settled + held has reached the limit.
  private func exhaustedUnit(of account: Account, at now: Timestamp) -> LimitUnit? {
    let limits = limits(of: account, at: now)
    return LimitUnit.allCases.first { unit in
      limits[unit].map { account.remainder(of: $0, in: unit) <= 0 } ?? false
    }
  }

  /// Returns the end of a budget's refusal; nil if it doesn't end by itself.
  private func reset(of portion: Portion, _ obstacle: Obstacle) -> Timestamp? {
    if case .paused = obstacle { return nil }
    return accounts[portion.account].window.end
  }

  private func isLater(_ left: Timestamp?, than right: Timestamp?) -> Bool {
    guard let right else { return false }
    guard let left else { return true }
    return left > right
  }

  /// Refuses a request. Each refusing account remembers whether too little was left for a useful
  /// answer.
  mutating func refuse(
    _ demand: Demand, because obstacle: Obstacle, of portion: Portion, among portions: [Portion],
    at now: Timestamp, events: inout [Event]
  ) -> Denial {
    for other in portions {
      guard case .limit(let unit) = self.obstacle(to: demand, on: other, at: now) else { continue }
      remember(unit, of: demand, on: other, at: now, events: &events)
    }
    let denial = denial(of: demand, because: obstacle, of: portion, among: portions, at: now)
    if case .limit = obstacle { reportFirst(denial, on: portion, events: &events) }
    return denial
  }

  /// Returns the refusal that a `shadow` account would have made; nil if it would have admitted the
  /// request or let it wait.
  mutating func shadowRefusal(
    of demand: Demand, on portion: Portion, at now: Timestamp, events: inout [Event]
  ) -> Denial? {
    guard enforcement(on: portion) == .shadow,
      let unit = unpayableUnit(of: demand, on: portion, at: now)
    else { return nil }
    let denial = denial(
      of: demand, because: .limit(unit), of: portion, among: [portion], at: now)
    reportFirst(denial, on: portion, events: &events)
    return denial
  }

  private mutating func remember(
    _ unit: LimitUnit, of demand: Demand, on portion: Portion, at now: Timestamp,
    events: inout [Event]
  ) {
    guard !isUnusedName(portion.account) else { return }
    let affordable = affordableOutput(for: demand, on: portion, within: .leasable, at: now)
    setLimitPause(
      affordable < Clamp.smallestOutput ? unit : nil, on: portion.account, at: now,
      events: &events)
  }

  /// Whether the account belongs to a name that an app supplied and that has never used anything.
  ///
  /// A refusal stores nothing for such a name, because an app can make up a new name for each
  /// request.
  private func isUnusedName(_ account: Int) -> Bool {
    guard accounts[account].settled == .zero else { return false }
    switch budgets[accounts[account].budget].definition.per {
    case .user, .conversation: return true
    case .client, .key, .model: return false
    }
  }

  private mutating func reportFirst(
    _ denial: Denial, on portion: Portion, events: inout [Event]
  ) {
    guard !accounts[portion.account].hasRefused, !isUnusedName(portion.account) else { return }
    accounts[portion.account].hasRefused = true
    events.append(.exceeded(denial, accounts[portion.account].window))
  }

  /// Builds the refusal with all its figures.
  func denial(
    of demand: Demand, because obstacle: Obstacle, of portion: Portion, among portions: [Portion],
    at now: Timestamp
  ) -> Denial {
    let account = accounts[portion.account]
    let budget = budgets[account.budget]
    let limits = limits(of: account, at: now)
    let unit = obstacle.unit ?? (limits.tokens != nil ? .tokens : .cost)
    let limit = limits[unit] ?? 0
    let elsewhere = leasedToOthers(beside: account, in: unit, at: now)
    let whole =
      budget.definition.enforcement == .soft
      ? portion.ownEstimate(of: demand) : portion.own(demand.bound(output: demand.largestOutput))
    return Denial(
      definition: budget.definition, subject: budget.subject(account.subject),
      reason: obstacle.reason,
      unit: unit == .tokens ? .tokens : .nanoUnits(budget.currency),
      limit: limit, used: account.settled[unit],
      held: account.held[unit].addingSaturating(elsewhere),
      requested: whole.spend(in: portion.currency, at: portion.rate)[unit],
      remaining: Int64(
        clamping: max(0, account.remainder(of: limit, in: unit) - Int128(elsewhere))),
      affordableOutputTokens: usableOutput(
        for: demand, because: obstacle, of: portion, among: portions, at: now),
      resetAt: reset(of: portion, obstacle))
  }

  /// Returns the part of the account's limit that other replicas have leased, plus their leases of
  /// the credits that widen a plan.
  private func leasedToOthers(
    beside account: Account, in unit: LimitUnit, at now: Timestamp
  ) -> Int64 {
    let limit = account.lease?.leasedToOthers[unit] ?? 0
    guard unit == .tokens, let balance = balance(of: account.budget), budgets[account.budget].isPlan
    else { return limit }
    let ofCredits = balance.freeTokens(within: .whole, at: now)
      .subtractingSaturating(balance.freeTokens(within: .leasable, at: now))
    return limit.addingSaturating(ofCredits)
  }

  /// Returns the output with which the request would be admitted now, in tokens.
  private func usableOutput(
    for demand: Demand, because obstacle: Obstacle, of portion: Portion, among portions: [Portion],
    at now: Timestamp
  ) -> Int64 {
    if case .paused = obstacle { return 0 }
    // A used-up soft budget refuses requests of any size.
    if enforcement(on: portion) == .soft { return 0 }
    return min(
      affordableOutput(for: demand, on: portion, within: .leasable, at: now),
      affordableOutput(for: demand, on: portions, within: .leasable, at: now))
  }
}

extension Obstacle {
  fileprivate var unit: LimitUnit? {
    switch self {
    case .paused: nil
    case .limit(let unit), .contention(let unit): unit
    }
  }

  fileprivate var reason: Denial.Reason {
    switch self {
    case .paused: .paused
    case .limit(.tokens): .tokenLimit
    case .limit(.cost): .costLimit
    case .contention: .contended
    }
  }
}
