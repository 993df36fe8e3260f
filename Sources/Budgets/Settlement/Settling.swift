public import Money
public import Time

// How holds end, and how use is counted.

extension BudgetState {
  /// Replaces a hold by the request's actual use, on every account at once.
  ///
  /// Use beyond the hold counts too. It counts in the window in which the hold was taken. If that
  /// window has ended, the new window doesn't change.
  ///
  /// - Throws: `BudgetError.unknownHold` if the hold has already ended.
  public mutating func settle(
    _ hold: HoldID, with consumption: Consumption, at now: Timestamp, events: inout [Event]
  ) throws(BudgetError) -> Settlement {
    try end(hold, with: consumption, reachedProvider: true, at: now, events: &events)
  }

  private mutating func end(
    _ hold: HoldID, with consumption: Consumption, reachedProvider: Bool, at now: Timestamp,
    events: inout [Event]
  ) throws(BudgetError) -> Settlement {
    defer { assertInvariants() }
    guard let request = holds.remove(hold.handle) else { throw .unknownHold }
    end(request.conversation, isBegun: reachedProvider, at: now)
    var charges: [Charge] = []
    var draws: [CreditDraw] = []
    charges.reserveCapacity(request.portions.count)
    for portion in request.portions {
      catchUp(portion.account, with: now)
      var paid: Int64 = 0
      if budgets[accounts[portion.account].budget].isPlan {
        draws = payByCredits(consumption, request.credit, on: portion, at: now)
        paid = draws.tokens
      }
      charges.append(
        end(
          portion, with: portion.ownShare(of: consumption, outOf: request.bound),
          paidByCredits: paid, at: now, events: &events))
    }
    let tightest = tightest(of: request.portions, at: now)
    request.portions.forEach { untie($0, at: now) }
    serve(queued(request.portions), at: now, events: &events)
    return Settlement(charges: charges, draws: draws, tightest: tightest)
  }

  /// Returns the charges and draws of settling a hold now, without thresholds and remainder.
  /// Nothing changes: an intent records the expectation in advance.
  ///
  /// Empty if the hold has already ended.
  public func expectation(
    settling hold: HoldID, with consumption: Consumption, at now: Timestamp
  ) -> Settlement {
    guard holds.contains(hold.handle) else { return Settlement(charges: [], tightest: nil) }
    let request = holds[hold.handle.index]
    var draws: [CreditDraw] = []
    let charges = request.portions.map { portion in
      var paid: Int64 = 0
      if let credit = request.credit, budgets[accounts[portion.account].budget].isPlan {
        draws = expectedDraws(consumption, credit, on: portion, at: now)
        paid = draws.tokens
      }
      let isOpen = accounts[portion.account].epoch == portion.epoch
      let spend = portion.ownShare(of: consumption, outOf: request.bound)
        .spend(in: portion.currency, at: portion.rate)
      return charge(
        spend, to: portion.account,
        in: isOpen ? accounts[portion.account].window : portion.window,
        takingOffLease: usedOfLease(spend, paidByCredits: paid, on: portion.account),
        holding: request.credit == nil ? heldOfLease(portion) : .zero,
        part: portion.part?.demand.bound)
    }
    return Settlement(charges: charges, draws: draws, tightest: nil)
  }

  /// Ends a hold without any use.
  /// - Throws: `BudgetError.unknownHold` if the hold has already ended.
  public mutating func release(
    _ hold: HoldID, at now: Timestamp, events: inout [Event]
  ) throws(BudgetError) {
    _ = try end(hold, with: .zero, reachedProvider: false, at: now, events: &events)
  }

  /// Ends a hold that was dropped by mistake, as if its whole bound had been used. The request
  /// can't have used more, so no budget is passed.
  /// - Throws: `BudgetError.unknownHold` if the hold has already ended.
  public mutating func abandon(
    _ hold: HoldID, at now: Timestamp, events: inout [Event]
  ) throws(BudgetError) -> Settlement {
    guard holds.contains(hold.handle) else { throw .unknownHold }
    abandonedHolds += 1
    let bound = holds[hold.handle.index].bound
    return try settle(hold, with: bound, at: now, events: &events)
  }

  /// Counts use that had no hold. The use has already happened, so it is never refused, and it may
  /// take a budget past its limit.
  public mutating func record(
    _ consumption: Consumption, rates: ExchangeRates, for caller: Caller, at now: Timestamp,
    events: inout [Event]
  ) -> Settlement {
    defer { assertInvariants() }
    sweep(at: now)
    if !caller.conversation.isEmpty { begin([caller.conversation], of: caller.client, at: now) }
    let portions = portions(for: caller, rates: rates, at: now)
    var charges: [Charge] = []
    var draws: [CreditDraw] = []
    charges.reserveCapacity(portions.count)
    for portion in portions {
      if budgets[accounts[portion.account].budget].isPlan {
        draws = payByCredits(reported: consumption, rates: rates, on: portion, at: now)
      }
      let spend = consumption.spend(in: portion.currency, at: portion.rate)
      accounts[portion.account].mayExceedLimit = true
      // Nothing was leased for this use, so no lease shrinks.
      let reached = count(spend, on: portion.account, at: now, events: &events)
      charges.append(
        charge(
          spend, to: portion.account, in: portion.window, takingOffLease: .zero,
          reaching: reached))
    }
    serve(queued(portions), at: now, events: &events)
    return Settlement(
      charges: charges, draws: draws, tightest: tightest(of: portions, at: now))
  }

  /// Replaces one account's hold by the actual use.
  ///
  /// - Parameter paidByCredits: The tokens that credits have paid for.
  mutating func end(
    _ portion: Portion, with consumption: Consumption, paidByCredits: Int64, at now: Timestamp,
    events: inout [Event]
  ) -> Charge {
    let index = portion.account
    let spend = consumption.spend(in: portion.currency, at: portion.rate)
    let used = usedOfLease(spend, paidByCredits: paidByCredits, on: index)
    guard accounts[index].epoch == portion.epoch else {
      return charge(spend, to: portion.account, in: portion.window, takingOffLease: used)
    }
    accounts[index].held.subtract(portion.held)
    if accounts[index].lease != nil {
      accounts[index].takeOffLease(used, of: budgets[accounts[index].budget].limits)
    }
    let excess = spend.excess(over: portion.held)
    if excess != .zero, enforcement(on: portion) == .hard {
      accounts[index].mayExceedLimit = true
      let budget = budgets[accounts[index].budget]
      events.append(
        .overrun(
          Overrun(
            budget: budget.definition.id, subject: budget.subject(accounts[index].subject),
            excess: excess)))
    }
    let reached = count(spend, on: index, at: now, events: &events)
    return charge(
      spend, to: index, in: accounts[index].window, takingOffLease: used, reaching: reached)
  }

  /// Removes a hold's tie to an account, and the account itself if only that hold kept it.
  private mutating func untie(_ portion: Portion, at now: Timestamp) {
    accounts[portion.account].liveHolds -= 1
    if !leases.former.isEmpty { endFormerLeases(of: portion.account) }
    if accounts[portion.account].isRetired, accounts[portion.account].liveHolds == 0 {
      letGo(portion.account, at: now)
    }
  }

  func queued(_ portions: [Portion]) -> [Int] {
    portions.map(\.account).filter { queues[$0] != nil }
  }

  /// - Returns: The percentages that the use has reached.
  private mutating func count(
    _ spend: Spend, on index: Int, at now: Timestamp, events: inout [Event]
  ) -> [Threshold] {
    accounts[index].settled.addSaturating(spend)
    guard !accounts[index].isRetired, spend != .zero else { return [] }
    let reached = takeThresholds(on: index, at: now)
    for threshold in reached { events.append(.thresholdReached(threshold)) }
    return reached
  }

  func charge(
    _ spend: Spend, to index: Int, in window: BudgetWindow, takingOffLease used: Spend,
    holding held: Spend = .zero, part: Consumption? = nil, reaching thresholds: [Threshold] = []
  ) -> Charge {
    let budget = accounts[index].budget
    return Charge(
      budget: budgets[budget].definition.id,
      subject: budgets[budget].subject(accounts[index].subject),
      period: budgets[budget].definition.period, window: window, tokens: spend.tokens,
      cost: Money(nanoUnits: spend.nanoUnits, currency: budgets[budget].currency),
      takenOffLease: used, heldOfLease: held, part: part, thresholds: thresholds)
  }

  /// Returns the percentages that settled use has reached since the last call.
  mutating func takeThresholds(on index: Int, at now: Timestamp) -> [Threshold] {
    let budget = accounts[index].budget
    guard let last = budgets[budget].definition.alerts.last,
      last > accounts[index].highestAlert
    else { return [] }
    let limits = limits(at: index, at: now)
    var reached: [Threshold] = []
    for percent in budgets[budget].definition.alerts where percent > accounts[index].highestAlert {
      guard let unit = accounts[index].unit(reaching: percent, of: limits) else { break }
      accounts[index].highestAlert = percent
      let currency = budgets[budget].currency
      reached.append(
        Threshold(
          budget: budgets[budget].definition.id,
          subject: budgets[budget].subject(accounts[index].subject),
          window: accounts[index].window,
          percent: percent, unit: unit == .tokens ? .tokens : .nanoUnits(currency),
          limit: limits[unit] ?? 0, used: accounts[index].settled[unit], reachedAt: now))
    }
    return reached
  }
}

extension Account {
  /// Returns the unit in which settled use has reached `percent` of its limit; nil for none.
  func unit(reaching percent: Int, of limits: LimitsInForce) -> LimitUnit? {
    LimitUnit.allCases.first { unit in
      guard let limit = limits[unit] else { return false }
      return Share(used: settled[unit], limit: limit).reaches(percent: percent)
    }
  }
}
