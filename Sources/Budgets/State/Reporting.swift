internal import Money
public import Time

// Reads the budgets' status without changing it. An account whose window has ended is shown as the
// next request will find it.

extension BudgetState {
  /// Returns the accounts that apply to a request of `caller`, in the order in which they are
  /// checked.
  public func statuses(for caller: Caller, at now: Timestamp) -> [AccountStatus] {
    let own = (budgetsByClient[caller.client] ?? []).map { budget in
      (budget, caller.value(per: budgets[budget].definition.per))
    }
    let shared = budgetsOverEverything.map { budget in
      (budget, caller.valueOverEverything(per: budgets[budget].definition.per))
    }
    return (own + shared).map { status(of: $0, subject: $1, at: now) }
  }

  /// Returns a budget's fullest account, or the account of its only subject. If the budget has seen
  /// no subject, the result is an empty account whose subject has no name.
  /// - Throws: `BudgetError.unknownBudget`.
  public func status(
    of id: BudgetID, at now: Timestamp
  ) throws(BudgetError) -> AccountStatus {
    guard let budget = budgetByID[id] else { throw .unknownBudget(id) }
    if budgets[budget].definition.per == .client {
      return status(of: budget, subject: id.client, at: now)
    }
    let fullest = budgets[budget].accounts.values
      .map { status(of: accounts[$0], at: now) }
      .min { $0.fullness < $1.fullness }
    return fullest ?? status(of: budget, subject: "", at: now)
  }

  /// Returns the account of one subject; an empty account if the subject is unknown.
  /// - Throws: `BudgetError.unknownBudget` or `BudgetError.wrongSubject`.
  public func status(
    of id: BudgetID, for subject: Subject, at now: Timestamp
  ) throws(BudgetError) -> AccountStatus {
    guard let budget = budgetByID[id] else { throw .unknownBudget(id) }
    guard subject.kind == budgets[budget].definition.per else { throw .wrongSubject(subject, id) }
    return status(of: budget, subject: subject.value, at: now)
  }

  /// Returns one account for each known subject, the fullest first.
  /// - Throws: `BudgetError.unknownBudget`.
  public func subjects(
    of id: BudgetID, at now: Timestamp
  ) throws(BudgetError) -> [AccountStatus] {
    guard let budget = budgetByID[id] else { throw .unknownBudget(id) }
    return budgets[budget].accounts.values
      .map { status(of: accounts[$0], at: now) }
      .sorted { $0.fullness < $1.fullness }
  }

  /// Returns the definition in force; nil if the budget doesn't exist.
  public func definition(of id: BudgetID) -> BudgetDefinition? {
    budgetByID[id].map { budgets[$0].definition }
  }

  /// Whether a budget of a client, or one over all clients, counts by a kind.
  public func hasBudget(per kind: BudgetDefinition.Per, for client: String) -> Bool {
    ((budgetsByClient[client] ?? []) + budgetsOverEverything)
      .contains { budgets[$0].definition.per == kind }
  }

  /// The definitions in force.
  public var definitions: [BudgetDefinition] {
    budgetByID.values.map { budgets[$0].definition }
  }

  /// Returns the remainder of the account with the largest settled or held share of its limit.
  /// `shadow` budgets don't count.
  func tightest(of portions: [Portion], at now: Timestamp) -> Remainder? {
    tightest(of: portions, at: now) { _ in .zero }
  }

  /// Returns the remainder after a settlement of `hold`, for answers whose cost is known before
  /// their end.
  public func tightest(
    settling hold: HoldID, with consumption: Consumption, at now: Timestamp
  ) -> Remainder? {
    guard holds.contains(hold.handle) else { return nil }
    let bound = holds[hold.handle.index].bound
    return tightest(of: holds[hold.handle.index].portions, at: now) { portion in
      guard accounts[portion.account].epoch == portion.epoch else { return .zero }
      var change = portion.ownShare(of: consumption, outOf: bound)
        .spend(in: portion.currency, at: portion.rate)
      change.subtractSaturating(portion.held)
      return change
    }
  }

  /// - Parameter change: The amount added to an account's settled and held use.
  @inline(__always)
  private func tightest(
    of portions: [Portion], at now: Timestamp, adding change: (Portion) -> Spend
  ) -> Remainder? {
    var tightest: (account: Int, share: Share, change: Spend)?
    for portion in portions {
      let change = change(portion)
      guard !accounts[portion.account].isRetired, enforcement(on: portion) != .shadow,
        let share = committedShare(of: portion.account, adding: change, at: now)
      else { continue }
      if let other = tightest, share <= other.share { continue }
      tightest = (portion.account, share, change)
    }
    return tightest.map { remainder(of: $0.account, adding: $0.change, at: now) }
  }

  private func committedShare(of index: Int, adding change: Spend, at now: Timestamp) -> Share? {
    let limits = limits(at: index, at: now)
    var largest: Share?
    for unit in LimitUnit.allCases {
      guard let limit = limits[unit] else { continue }
      let committed = accounts[index].settled[unit].addingSaturating(accounts[index].held[unit])
        .addingSaturating(change[unit])
      let share = Share(used: committed, limit: limit)
      largest = largest.map { max($0, share) } ?? share
    }
    return largest
  }

  private func remainder(of index: Int, adding change: Spend, at now: Timestamp) -> Remainder {
    let budget = accounts[index].budget
    let limits = limits(at: index, at: now)
    func remaining(_ unit: LimitUnit) -> Int64? {
      limits[unit].map { limit in
        let left = accounts[index].remainder(of: limit, in: unit) - Int128(change[unit])
        return Int64(clamping: max(0, left))
      }
    }
    return Remainder(
      budget: budgets[budget].definition.id,
      subject: budgets[budget].subject(accounts[index].subject),
      tokens: remaining(.tokens),
      cost: remaining(.cost).map { Money(nanoUnits: $0, currency: budgets[budget].currency) },
      resetAt: accounts[index].window.end)
  }

  private func status(of budget: Int, subject: String, at now: Timestamp) -> AccountStatus {
    if let known = budgets[budget].accounts[subject] {
      return status(of: accounts[known], at: now)
    }
    let window = budgets[budget].openWindow(at: now)
    return status(of: Account(budget: budget, subject: subject, window: window), at: now)
  }

  private func status(of stored: Account, at now: Timestamp) -> AccountStatus {
    let budget = budgets[stored.budget]
    var account = stored
    if account.window.hasEnded(at: now) { account.begin(budget.openWindow(at: now)) }
    let limits = limits(of: account, at: now)
    let raise = account.raise ?? budget.raise
    func money(_ nanoUnits: Int64) -> Money {
      Money(nanoUnits: nanoUnits, currency: budget.currency)
    }
    return AccountStatus(
      definition: budget.definition, subject: budget.subject(account.subject),
      window: account.window,
      limitTokens: limits.tokens, limitCost: limits.nanoUnits.map(money),
      settledTokens: account.settled.tokens, settledCost: money(account.settled.nanoUnits),
      heldTokens: account.held.tokens, heldCost: money(account.held.nanoUnits),
      remainingTokens: account.remaining(in: .tokens, of: limits),
      remainingCost: account.remaining(in: .cost, of: limits).map(money),
      tokenShare: limits.tokens.map { Share(used: account.settled.tokens, limit: $0) },
      costShare: limits.nanoUnits.map { Share(used: account.settled.nanoUnits, limit: $0) },
      conversationShare: nil,
      isWidenedByMoney: hasFreeMoney(beside: account, at: now),
      pause: pause(of: account, limits: limits, at: now),
      raise: raise.flatMap { now < $0.until && $0.amount != .zero ? $0 : nil },
      waiting: budget.accounts[account.subject].flatMap { queues[$0]?.entries.count } ?? 0)
  }

  private func pause(
    of account: Account, limits: LimitsInForce, at now: Timestamp
  ) -> AccountStatus.Pause? {
    if account.isPaused ?? budgets[account.budget].isPaused { return .manual }
    guard budgets[account.budget].definition.enforcement != .shadow else { return nil }
    var usedUp = account.unit(reaching: 100, of: limits)
    if usedUp == .tokens, hasFreeMoney(beside: account, at: now) { usedUp = nil }
    return (usedUp ?? account.exhaustedUnit).map(AccountStatus.Pause.limit)
  }
}

extension Account {
  /// Returns the limit minus settled and held, never below zero; nil if the unit isn't limited.
  fileprivate func remaining(in unit: LimitUnit, of limits: LimitsInForce) -> Int64? {
    limits[unit].map { Int64(clamping: max(0, remainder(of: $0, in: unit))) }
  }
}
