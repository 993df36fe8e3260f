internal import Money
public import Time

// How a replica applies the shared ledger's answers.

extension BudgetState {
  /// Applies lease answers: adds to the leases, updates the accounts' standings, and serves the
  /// queues.
  ///
  /// An answer adds nothing to a lease that has ended since: its window has ended, or it was given
  /// back or voided. The ledger gets that amount back when the account is idle.
  ///
  /// - Returns: As for `learn`.
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

  /// Applies accounts' standings as last read from the ledger. The use of other replicas counts
  /// here too, in budgets of every enforcement.
  ///
  /// - Returns: Percentages that other replicas' settlements have reached. They count as reported
  ///   now: the replica that records a percentage first sends its alert.
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
    // Some settlements are committed in the ledger, but their holds haven't ended here yet.
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

  /// Whether a plan's settled and held use exceeds the plan plus the part that credits pay for.
  private func isPassedPlan(_ index: Int, at now: Timestamp) -> Bool {
    guard budgets[accounts[index].budget].isPlan, let limit = ownLimits(at: index, at: now).tokens
    else { return false }
    return planTokensLeft(of: index, limit: limit) < 0
  }

  /// Returns the account for a standing. Creates it if the ledger reports use of a subject that is
  /// unknown here.
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

  /// Returns the account of a key, if its window is still open.
  private mutating func openAccount(_ key: AccountKey, at now: Timestamp) -> Int? {
    guard let index = knownAccount(key) else { return nil }
    catchUp(index, with: now)
    return knownAccount(key)
  }

  /// Returns the account of a key, if the account counts in that window as far as it knows.
  func knownAccount(_ key: AccountKey) -> Int? {
    guard let budget = budgetByID[key.budget],
      budgets[budget].definition.per == key.subject.kind,
      let index = budgets[budget].accounts[key.subject.value]
    else { return nil }
    return isOpen(key, in: accounts[index].window, of: budget) ? index : nil
  }

  private func isOpen(_ key: AccountKey, in window: BudgetWindow, of budget: Int) -> Bool {
    // Windows are compared by their starts: a change of the calendar moves the end of a window that
    // stays open.
    key.window.start == window.start && key.currency == budgets[budget].currency
      && key.period == budgets[budget].definition.period.description
  }

  /// Marks a lease that the ledger may have granted and that this replica doesn't use, so that it
  /// is given back.
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
