internal import Money
internal import Time

// Keeps a removed budget's use until its window ends.
//
// Use belongs to a budget's ID, its `per`, its period and its currency. If a definition is removed,
// or replaced by one that counts differently, its accounts stay in memory, out of force, until
// their windows end. If a definition that counts the same comes back, it continues with these
// accounts.
//
// Example: 3,000 of 3,000 tokens are used this month. The budget leaves the file and comes back an
// hour later: 3,000 of 3,000 tokens are used. After a restart, the ledger's records take the place
// of these accounts.
//
// A plan's use isn't kept here: it is recomputed from the client's rows whenever the plan comes
// back.

/// Identifies use that belongs together, across changes of definitions.
struct UseKey: Hashable, Sendable {
  let budget: BudgetID
  let per: BudgetDefinition.Per
  /// The period as `BudgetPeriod.description` writes it.
  let period: String
  let currency: Currency
}

extension BudgetState {
  /// Takes budgets out of force. Their use is kept, and holds still add to it.
  mutating func remove(_ indices: [Int], at now: Timestamp, events: inout [Event]) {
    // The order is fixed, so that a replayed run assigns the freed places in the same way.
    for index in indices.sorted() {
      if budgets[index].isPlan {
        retire(index)
      } else {
        keepUse(of: index, at: now, events: &events)
      }
    }
    forgetEndedUse(at: now)
  }

  private mutating func keepUse(of index: Int, at now: Timestamp, events: inout [Event]) {
    let key = useKey(of: index)
    // Two budgets with windows of days can have the same key but different anchors. Only the latest
    // is kept.
    if let former = removedBudgets.updateValue(index, forKey: key) { retire(former) }
    budgets[index].isPaused = false
    budgets[index].raise = nil
    for account in budgets[index].accounts.values.sorted() {
      endLease(on: account)
      accounts[account].isRetired = true
      accounts[account].isPaused = nil
      accounts[account].raise = nil
      setLimitPause(nil, on: account, at: now, events: &events)
    }
  }

  /// Puts a definition in force with its kept use; returns false if there is none.
  mutating func bringBack(
    _ definition: BudgetDefinition, in currency: Currency, rate: FixedDecimal, at now: Timestamp
  ) -> Bool {
    guard !definition.id.isPlan,
      let index = removedBudgets.removeValue(forKey: UseKey(definition, in: currency))
    else { return false }
    budgets[index].redefine(as: definition, rate: rate)
    enlist(index, as: definition.id)
    for account in budgets[index].accounts.values.sorted() {
      accounts[account].isRetired = false
      // Kept use may exceed a limit that has changed.
      accounts[account].mayExceedLimit = true
      let start = max(now, accounts[account].window.start)
      if !accounts[account].window.hasEnded(at: now) {
        accounts[account].endWindow(
          at: BudgetWindow(of: definition.period, containing: start, in: definition.timeZone).end)
      }
      if accounts[account].highestAlert == Account.unknownAlert {
        accounts[account].highestAlert = reachedAlert(of: account, at: now)
      }
      if policy.sharesLimits { openLease(on: account, at: now) }
      catchUp(account, with: now)
    }
    return true
  }

  /// Keeps a ledger record of a budget that isn't in force.
  mutating func keep(_ use: RecordedUse, at now: Timestamp) {
    guard !use.budget.isPlan, isOpen(use, at: now),
      let period = BudgetPeriod(use.period, anchor: CivilDate(daysSinceEpoch: 0))
    else { return }
    let index = removedBudget(of: use, over: period)
    let subject = use.subject.value
    let account: Int
    if let known = budgets[index].accounts[subject] {
      guard accounts[known].window.start < use.window.start else { return }
      account = known
    } else {
      let new = Account(budget: index, subject: subject, window: use.window)
      account = accounts.insert(new).index
      budgets[index].accounts[subject] = account
    }
    accounts[account].isRetired = true
    accounts[account].highestAlert = Account.unknownAlert
    accounts[account].restore(
      use.window, isShortened: true,
      settled: Spend(tokens: use.tokens, nanoUnits: use.cost.nanoUnits),
      paidByCredits: use.paidByCredits)
  }

  /// Returns the budget that keeps such use, and creates it if needed. Its definition is a
  /// placeholder, because the original one is unknown.
  private mutating func removedBudget(of use: RecordedUse, over period: BudgetPeriod) -> Int {
    let key = UseKey(
      budget: use.budget, per: use.subject.kind, period: use.period, currency: use.cost.currency)
    if let known = removedBudgets[key] { return known }
    let definition = BudgetDefinition(
      id: use.budget, per: use.subject.kind, limit: .tokens(0), period: period, timeZone: .utc,
      enforcement: .shadow, alerts: [])
    let rate = policy.rates.rate(of: use.cost.currency) ?? .one
    let index = budgets.insert(
      Budget(definition, currency: use.cost.currency, rate: rate, countsFrom: nil)
    ).index
    removedBudgets[key] = index
    return index
  }

  /// Returns the removed budget on which an earlier process's hold stands.
  func removedBudget(of place: RecordedHold.Place) -> Int? {
    removedBudgets.filter { key, _ in
      key.budget == place.budget && key.per == place.subject.kind && key.period == place.period
    }.min { $0.key.currency < $1.key.currency }?.value
  }

  /// Releases an account that isn't in force after its last hold has ended.
  mutating func letGo(_ account: Int, at now: Timestamp) {
    let budget = accounts[account].budget
    guard removedBudgets[useKey(of: budget)] == budget else { return bury(account) }
    forgetEndedUse(of: account, at: now)
    forgetIfEmpty(budget)
  }

  /// Forgets kept use whose window has ended.
  private mutating func forgetEndedUse(at now: Timestamp) {
    for budget in removedBudgets.values.sorted() {
      for account in budgets[budget].accounts.values.sorted() {
        forgetEndedUse(of: account, at: now)
      }
      forgetIfEmpty(budget)
    }
  }

  private mutating func forgetEndedUse(of account: Int, at now: Timestamp) {
    if accounts[account].isIdle(at: now) { forget(account) }
  }

  /// Forgets a removed budget without kept use.
  mutating func forgetIfEmpty(_ budget: Int) {
    guard budgets[budget].accounts.isEmpty else { return }
    removedBudgets[useKey(of: budget)] = nil
    budgets.remove(at: budget)
  }

  private func useKey(of budget: Int) -> UseKey {
    UseKey(budgets[budget].definition, in: budgets[budget].currency)
  }
}

extension UseKey {
  init(_ definition: BudgetDefinition, in currency: Currency) {
    self.init(
      budget: definition.id, per: definition.per, period: definition.period.description,
      currency: currency)
  }
}
