internal import Money
public import Time

// What a replica hears from the shared ledger.

extension BudgetState {
  /// Adds what the ledger has leased, takes over how the accounts stand there, and lets those go
  /// that waited for it.
  ///
  /// An answer adds nothing to a lease that has ended meanwhile: its window has, or it was given
  /// back or was void. The ledger gets it back when the account is idle.
  ///
  /// - Returns: As `learn`.
  @discardableResult
  public mutating func take(
    _ answers: [LeaseAnswer], at now: Timestamp, events: inout [Event]
  ) -> [Threshold] {
    defer { assertInvariants() }
    var reached: [Threshold] = []
    var touched: [Int] = []
    for answer in answers {
      let source = answer.standing.source
      if case .credit(let credit) = source {
        touched += take(answer, of: credit)
        continue
      }
      guard let index = source.account.flatMap({ openAccount($0, at: now) }),
        accounts[index].lease?.id == answer.lease
      else {
        noteUnused(source)
        continue
      }
      accounts[index].lease?.amount.addSaturating(answer.added)
      reached += learn(answer.standing, on: index, at: now)
      touched.append(index)
    }
    serve(touched, at: now, events: &events)
    return reached
  }

  /// Takes over how accounts stand in the ledger, as last read there: what others have used counts
  /// here too, in budgets of every enforcement.
  ///
  /// - Returns: Percentages that are reached by what others have settled. They count as reported
  ///   now: whoever has them recorded first is the one to tell.
  @discardableResult
  public mutating func learn(
    _ standings: [SharedStanding], at now: Timestamp, events: inout [Event]
  ) -> [Threshold] {
    defer { assertInvariants() }
    var reached: [Threshold] = []
    var touched: [Int] = []
    for standing in standings {
      if case .credit(let credit) = standing.source {
        touched += learn(standing, of: credit)
        continue
      }
      guard let index = countedAccount(standing, at: now) else { continue }
      reached += learn(standing, on: index, at: now)
      touched.append(index)
    }
    serve(touched, at: now, events: &events)
    return reached
  }

  private mutating func learn(
    _ standing: SharedStanding, on index: Int, at now: Timestamp
  ) -> [Threshold] {
    // Settlements that are committed there and haven't ended their holds here yet.
    let notEnded = accounts[index].lease?.amount.excess(over: standing.leased) ?? .zero
    accounts[index].settled = standing.settled.excess(over: notEnded)
    if budgets[accounts[index].budget].isPlan {
      accounts[index].paidByCredits = standing.paidByCredits
    }
    accounts[index].lease?.leasedToOthers = standing.leasedToOthers
    if limitShortage(of: .zero, on: index, at: now) != nil || isPassedPlan(index, at: now) {
      accounts[index].mayExceedLimit = true
    }
    return accounts[index].settled == .zero ? [] : takeThresholds(on: index, at: now)
  }

  /// Whether a plan has settled and holds more than it and the credits that it is paid by.
  private func isPassedPlan(_ index: Int, at now: Timestamp) -> Bool {
    guard budgets[accounts[index].budget].isPlan, let limit = ownLimits(at: index, at: now).tokens
    else { return false }
    return planTokensLeft(of: index, limit: limit) < 0
  }

  /// The account that counts in the same place, new where nothing was known of what is settled.
  private mutating func countedAccount(
    _ standing: SharedStanding, at now: Timestamp
  ) -> Int? {
    guard let key = standing.source.account else { return nil }
    if let known = openAccount(key, at: now) { return known }
    guard let budget = budgetByID[key.budget], standing.settled != .zero,
      budgets[budget].definition.per == key.subject.kind,
      budgets[budget].accounts[key.subject.value] == nil,
      isOpen(key, in: budgets[budget].openWindow(at: now), of: budget)
    else { return nil }
    return account(of: budget, subject: key.subject.value, at: now)
  }

  /// The account that is meant, if its window is still open.
  private mutating func openAccount(_ key: AccountKey, at now: Timestamp) -> Int? {
    guard let index = knownAccount(key) else { return nil }
    catchUp(index, with: now)
    return knownAccount(key)
  }

  /// The account that is meant, if it counts in that window, as far as it knows.
  func knownAccount(_ key: AccountKey) -> Int? {
    guard let budget = budgetByID[key.budget],
      budgets[budget].definition.per == key.subject.kind,
      let index = budgets[budget].accounts[key.subject.value]
    else { return nil }
    return isOpen(key, in: accounts[index].window, of: budget) ? index : nil
  }

  private func isOpen(_ key: AccountKey, in window: BudgetWindow, of budget: Int) -> Bool {
    // By its start: a change of the calendar moves the end of a window that stays open.
    key.window.start == window.start && key.currency == budgets[budget].currency
      && key.period == budgets[budget].definition.period.description
  }

  /// Has given back what the ledger may have leased and nobody uses.
  mutating func noteUnused(_ source: LeaseSource) {
    switch source {
    case .account(let key):
      if let index = knownAccount(key), accounts[index].lease != nil {
        leases.drawn.insert(index)
      } else if !leases.former.values.joined().contains(key) {
        leases.ended.append(source)
      }
    case .credit(let key):
      if entry(of: key) != nil {
        leases.drawnCredits.insert(key)
      } else {
        leases.ended.append(source)
      }
    }
  }
}
