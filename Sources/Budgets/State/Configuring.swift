internal import Money
public import Time

// How definitions change while holds live and requests wait.

extension BudgetState {
  /// Replaces all definitions, or none if it throws.
  ///
  /// A budget keeps its count if its ID, its `per`, its period and its currency are unchanged. This
  /// also applies if it was removed and comes back within its window. Any other budget counts from
  /// `now`, so that old use never counts in a new budget. If limits are shared, it counts from the
  /// beginning of its window instead. An administrator's pause stays with the ID. Live holds end on
  /// the budgets on which they were taken. Waiting requests are decided again, in the order of
  /// arrival.
  ///
  /// - Parameter definitions: The new definitions, each with a unique ID.
  /// - Throws: `BudgetError.missingRate`; the state is then unchanged.
  public mutating func configure(
    _ definitions: [BudgetDefinition], policy newPolicy: BudgetPolicy, at now: Timestamp,
    events: inout [Event]
  ) throws(BudgetError) {
    var rates: [FixedDecimal] = []
    rates.reserveCapacity(definitions.count)
    for definition in definitions { rates.append(try newPolicy.rate(for: definition)) }
    defer { assertInvariants() }

    precondition(newPolicy.sharesLimits == policy.sharesLimits, "a ledger stays shared or not")
    policy = newPolicy
    let previous = budgetByID
    budgetByID.removeAll(keepingCapacity: true)
    budgetsByClient.removeAll(keepingCapacity: true)
    budgetsOverEverything.removeAll(keepingCapacity: true)
    var removed: [Int] = []
    for (definition, rate) in zip(definitions, rates) {
      let known = previous[definition.id]
      let currency = definition.currency(billing: newPolicy.rates.billing)
      if let known, budgets[known].keepsCounting(as: definition, in: currency) {
        redefine(known, as: definition, rate: rate, at: now, events: &events)
        enlist(known, as: definition.id)
        continue
      }
      if !bringBack(definition, in: currency, rate: rate, at: now) {
        let start = countsFrom(definition, isKnown: known != nil, at: now)
        insert(definition, rate: rate, countsFrom: start)
      }
      guard let known else { continue }
      if let new = budgetByID[definition.id] { budgets[new].isPaused = budgets[known].isPaused }
      removed.append(known)
    }
    for (id, index) in previous where budgetByID[id] == nil { removed.append(index) }
    let waiting = emptyQueues()
    remove(removed, at: now, events: &events)
    requeue(waiting, at: now, events: &events)
  }

  /// Returns the time from which a new budget counts; nil for the beginning of its window.
  ///
  /// If limits are shared, that is always the beginning of its window: replicas learn of the budget
  /// at different times, and all must count in the same window.
  ///
  /// - Parameter isKnown: Whether the budget replaces one with the same ID.
  private func countsFrom(
    _ new: BudgetDefinition, isKnown: Bool, at now: Timestamp
  ) -> Timestamp? {
    (new.id.isPlan && !isKnown) || policy.sharesLimits ? nil : now
  }

  private mutating func redefine(
    _ index: Int, as definition: BudgetDefinition, rate: FixedDecimal, at now: Timestamp,
    events: inout [Event]
  ) {
    let old = budgets[index].definition
    budgets[index].redefine(as: definition, rate: rate)
    guard old != definition else { return }
    let leasesAnew =
      old.period != definition.period || old.enforcement != definition.enforcement
    for account in budgets[index].accounts.values.sorted() {
      setLimitPause(nil, on: account, at: now, events: &events)
      if leasesAnew { endLease(on: account) }
      if old.period != definition.period {
        accounts[account].move(to: budgets[index].openWindow(at: now))
      } else if old.timeZone != definition.timeZone, !accounts[account].window.hasEnded(at: now) {
        accounts[account].endWindow(at: budgets[index].openWindow(at: now).end)
      }
      if leasesAnew {
        openLease(on: account, at: now)
      } else if accounts[account].heldBeyondLease(of: budgets[index].limits) != .zero {
        // The new limit has another unit, in which nothing was leased.
        holdBeyondLease(on: account, at: now)
      }
    }
  }

  /// Takes a budget out of use. The accounts that live holds need stay until these holds end.
  mutating func retire(_ index: Int) {
    let retiring = budgets[index].accounts.values.sorted()
    budgets[index].accounts = [:]
    budgets[index].retire(with: retiring.count)
    for account in retiring {
      endLease(on: account)
      accounts[account].isRetired = true
      if accounts[account].liveHolds == 0 { bury(account) }
    }
    if retiring.isEmpty { budgets.remove(at: index) }
  }

  /// Forgets a retired account, and its budget with its last account.
  mutating func bury(_ account: Int) {
    let budget = accounts[account].budget
    accounts.remove(at: account)
    if budgets[budget].buryAccount() == 0 { budgets.remove(at: budget) }
  }

  /// Restores the ledger's records of use, before the first request.
  ///
  /// A record counts if its budget still has the same `per`, period and currency, and if the
  /// record's window is open or may reopen when the clock is set back. After a change of the
  /// budget, one subject may have several records; the latest window counts. Percentages that were
  /// already reached aren't reported again. Records of budgets that aren't in force are kept until
  /// these budgets come back.
  ///
  /// - Returns: The number of records that count.
  @discardableResult
  public mutating func restore(_ uses: [RecordedUse], at now: Timestamp) -> Int {
    precondition(holds.count == 0, "use is restored before the first hold")
    defer { assertInvariants() }
    var restored: [Int: Timestamp] = [:]
    for use in uses {
      guard let budget = budgetByID[use.budget], counts(use, in: budgets[budget], at: now) else {
        keep(use, at: now)
        continue
      }
      let account = account(of: budget, subject: use.subject.value, at: now)
      if let latest = restored[account], latest >= use.window.start { continue }
      restored[account] = use.window.start
      restore(use, to: account, at: now)
    }
    return restored.count
  }

  private func counts(_ use: RecordedUse, in budget: Budget, at now: Timestamp) -> Bool {
    use.subject.kind == budget.definition.per
      && use.period == budget.definition.period.description
      && use.cost.currency == budget.currency && isOpen(use, at: now)
  }

  /// Whether a record's window is open, or may reopen when the clock is set back.
  func isOpen(_ use: RecordedUse, at now: Timestamp) -> Bool {
    !use.window.hasEnded(at: BudgetState.earliestClock(after: now))
      && use.window.start <= now.advanced(by: BudgetState.largestSetback)
  }

  /// The largest step by which a clock may be set back, while the program runs or is down: 24
  /// hours.
  ///
  /// A window that began up to 24 hours ahead of the clock stays open, as it does in a running
  /// program. Otherwise it would count from zero when the clock reaches it again. A window further
  /// ahead comes from a wrong clock and is ignored. A window that ended up to 24 hours ago isn't
  /// forgotten, because the clock may return into it.
  private static let largestSetback = Duration.seconds(24 * 60 * 60)

  /// Returns the earliest time to which a clock at `now` may be set back. Windows that were open
  /// then may still count.
  public static func earliestClock(after now: Timestamp) -> Timestamp {
    now.advanced(by: .zero - largestSetback)
  }

  private mutating func restore(_ use: RecordedUse, to index: Int, at now: Timestamp) {
    // The record says when the window started; the definition's calendar says when it ends.
    let definition = budgets[accounts[index].budget].definition
    let calendar = BudgetWindow(
      of: definition.period,
      containing: use.window.hasEnded(at: now) ? use.window.start : max(now, use.window.start),
      in: definition.timeZone)
    let window = BudgetWindow(start: use.window.start, end: calendar.end)
    accounts[index].restore(
      window, isShortened: window.start > calendar.start,
      settled: Spend(tokens: use.tokens, nanoUnits: use.cost.nanoUnits),
      paidByCredits: use.paidByCredits)
    // Restored use may exceed a limit, and its percentages were already reported.
    accounts[index].mayExceedLimit = true
    accounts[index].highestAlert = reachedAlert(of: index, at: now)
  }

  /// Returns the highest alert percentage that an account's use has reached; 0 for none.
  func reachedAlert(of index: Int, at now: Timestamp) -> Int {
    let account = accounts[index]
    let limits = limits(of: account, at: now)
    return budgets[account.budget].definition.alerts.last { percent in
      account.unit(reaching: percent, of: limits) != nil
    } ?? 0
  }

  /// Restores an administrator's clearing of use, made before the program started or before the
  /// budget came back. Call it after use is restored. Subjects without a record since the clearing
  /// count from `cleared` too.
  public mutating func restoreClearing(of target: Target, at cleared: Timestamp, now: Timestamp) {
    defer { assertInvariants() }
    guard let budget = budgetByID[target.budget] else { return }
    guard let subject = target.subject else {
      budgets[budget].clear(at: cleared)
      for account in budgets[budget].accounts.values.sorted() {
        clear(account, at: cleared, now: now)
      }
      return
    }
    guard subject.kind == budgets[budget].definition.per else { return }
    clear(account(of: budget, subject: subject.value, at: now), at: cleared, now: now)
  }

  private mutating func clear(_ account: Int, at cleared: Timestamp, now: Timestamp) {
    let window = accounts[account].window
    guard window.start < cleared, !window.hasEnded(at: cleared) else { return }
    if policy.sharesLimits { endLease(on: account) }
    accounts[account].clear(at: cleared)
    if policy.sharesLimits { openLease(on: account, at: now) }
  }

  /// Adds use of open windows that was recorded before a budget counted it. Only a plan needs this:
  /// it counts its whole period, including the part before the plan began. Percentages that this
  /// use reaches are reported with the next charge.
  public mutating func recall(_ uses: [RecordedUse], at now: Timestamp) {
    defer { assertInvariants() }
    for use in uses {
      guard let budget = budgetByID[use.budget], counts(use, in: budgets[budget], at: now) else {
        continue
      }
      let account = account(of: budget, subject: use.subject.value, at: now)
      guard accounts[account].window.start == use.window.start else { continue }
      accounts[account].settled.addSaturating(
        Spend(tokens: use.tokens, nanoUnits: use.cost.nanoUnits))
      accounts[account].paidByCredits.addSaturating(use.paidByCredits)
      accounts[account].mayExceedLimit = true
    }
  }
}
