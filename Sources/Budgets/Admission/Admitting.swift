internal import Money
public import Time

// How a request gets its hold.
//
// 1. Refusal: the request is refused if one of its budgets is paused, or couldn't pay for it even
//    if all holds ended without use.
// 2. Waiting: the request waits if one of its budgets can't pay for it beside the current holds.
// 3. Hold: the request's bound is set aside on all of its budgets at once.
//
// Most requests take a shortcut: if the whole bound fits everywhere and no request waits, `hold`
// skips the first two steps.

/// The decision on a request, before it is carried out.
enum Decision {
  case admit(output: Int64)
  /// The request waits for this account: it can't pay for the least output now, or earlier requests
  /// wait there.
  case wait(Portion)
  case refuse(Portion, Obstacle)
  /// The request would begin a conversation beyond the plan's limit.
  case refuseConversation(Denial)
}

/// The reason that an account gives for not admitting a request.
enum Obstacle {
  case paused
  case limit(LimitUnit)
  case contention(LimitUnit)
}

extension BudgetState {
  /// Sets the request's bound aside on every budget that applies, or on none.
  public mutating func hold(
    _ demand: Demand, for caller: Caller, at now: Timestamp, events: inout [Event]
  ) -> Admission {
    defer { assertInvariants() }
    sweep(at: now)
    let portions = portions(for: caller, rates: demand.rates, parts: demand.parts, at: now)
    serve([], at: now, events: &events)
    if conversationDenial(for: caller, at: now) == nil,
      let whole = wholeBound(of: demand, on: portions, at: now)
    {
      return .held(
        setAside(
          demand, for: caller, output: demand.largestOutput, on: whole, at: now, events: &events))
    }
    switch decide(demand, for: caller, on: portions, arrival: arrivals, at: now) {
    case .admit(let output):
      return .held(
        admit(demand, for: caller, output: output, on: portions, at: now, events: &events))
    case .refuseConversation(let denial):
      reportFirst(ofConversations: denial, at: now, events: &events)
      return .denied(denial)
    case .wait(let portion):
      return enqueue(demand, for: caller, behind: portion, of: portions, at: now)
    case .refuse(let portion, let obstacle):
      return .denied(
        refuse(demand, because: obstacle, of: portion, among: portions, at: now, events: &events))
    }
  }

  /// Returns the portions with the whole bound held on each if every account can pay for it and no
  /// request waits; nil otherwise.
  private func wholeBound(
    of demand: Demand, on portions: [Portion], at now: Timestamp
  ) -> [Portion]? {
    let bound = demand.bound(output: demand.largestOutput)
    var held = portions
    for index in held.indices {
      let need = held[index].own(bound).spend(in: held[index].currency, at: held[index].rate)
      guard takesWhole(need, on: held[index].account, at: now) else { return nil }
      held[index].held = need
    }
    return held
  }

  private func takesWhole(_ need: Spend, on index: Int, at now: Timestamp) -> Bool {
    guard budgets[accounts[index].budget].definition.enforcement == .hard,
      !accounts[index].isQueued, !isPaused(index)
    else { return false }
    return shortage(of: need, on: index, at: now) == nil
  }

  /// Decides on a request; `arrival` is the number of requests that had to wait before it.
  func decide(
    _ demand: Demand, for caller: Caller, on portions: [Portion], arrival: UInt64,
    at now: Timestamp
  ) -> Decision {
    if let refusal = refusal(of: demand, on: portions, at: now) {
      return .refuse(refusal.portion, refusal.obstacle)
    }
    if let denial = conversationDenial(for: caller, at: now) { return .refuseConversation(denial) }
    let least = demand.bound(output: demand.leastOutput)
    for portion in portions {
      let isBehind = queues[portion.account]?.first.map { $0.arrival < arrival } ?? false
      if isBehind || contention(for: least, of: demand, on: portion, at: now) != nil {
        return .wait(portion)
      }
    }
    return .admit(output: output(for: demand, on: portions, at: now))
  }

  /// Returns the output tokens to hold for a request whose least output fits.
  private func output(for demand: Demand, on portions: [Portion], at now: Timestamp) -> Int64 {
    if demand.limitIsExplicit { return demand.largestOutput }
    let affordable = affordableOutput(for: demand, on: portions, within: .leased, at: now)
    if affordable >= demand.largestOutput { return demand.largestOutput }
    let left =
      policy.sharesLimits
      ? affordableOutput(for: demand, on: portions, within: .leasable, at: now) : affordable
    // `decide` has checked that the least output fits. The fallback covers rounding of extreme
    // figures.
    return Clamp.output(
      affordable: affordable, left: left, usual: demand.usualOutput,
      largest: demand.largestOutput) ?? demand.leastOutput
  }

  /// Sets the bound with `output` tokens aside on every account.
  mutating func admit(
    _ demand: Demand, for caller: Caller, output: Int64, on portions: [Portion],
    at now: Timestamp, events: inout [Event]
  ) -> Grant {
    let bound = demand.bound(output: output)
    var held = portions
    var shadowRefusals: [Denial] = []
    for index in held.indices {
      let isSoft = enforcement(on: held[index]) == .soft
      let need = isSoft ? held[index].ownEstimate(of: demand) : held[index].own(bound)
      if let denial = shadowRefusal(of: demand, on: held[index], at: now, events: &events) {
        shadowRefusals.append(denial)
      }
      held[index].held = need.spend(in: held[index].currency, at: held[index].rate)
    }
    let grant = setAside(
      demand, for: caller, output: output, on: held, at: now, events: &events)
    for denial in shadowRefusals { events.append(.wouldRefuse(grant.hold, denial)) }
    return grant
  }

  /// Sets the `held` amount of each portion aside.
  private mutating func setAside(
    _ demand: Demand, for caller: Caller, output: Int64, on portions: [Portion],
    at now: Timestamp, events: inout [Event]
  ) -> Grant {
    let bound = demand.bound(output: output)
    var held = portions
    var credit: HeldCredit?
    for index in held.indices {
      let account = held[index].account
      if budgets[accounts[account].budget].isPlan {
        credit = holdCredit(for: bound, rates: demand.rates, on: account, at: now)
      }
      held[index].held = accounts[account].held.addCountable(held[index].held)
      accounts[account].liveHolds += 1
      if accounts[account].lease != nil { accounts[account].lease?.lastHold = now }
      if accounts[account].exhaustedUnit != nil {
        setLimitPause(nil, on: account, at: now, events: &events)
      }
      assert(
        enforcement(on: held[index]) != .hard || isWithinLimits(account, at: now)
          // A plan that is already passed leaves the rest to credits.
          || budgets[accounts[account].budget].isPlan,
        "a hold was taken that its budget can't pay for")
    }
    let hold = holds.insert(
      HeldRequest(
        bound: bound, portions: held, credit: credit,
        conversation: holdConversation(of: caller, at: now)))
    return Grant(
      hold: HoldID(handle: hold), clampedOutput: output < demand.largestOutput ? output : nil,
      bound: bound, tightest: tightest(of: held, at: now), leaseEpoch: leases.epoch)
  }
}

// MARK: - What accounts can pay for

extension BudgetState {
  func enforcement(on portion: Portion) -> BudgetDefinition.Enforcement {
    budgets[accounts[portion.account].budget].definition.enforcement
  }

  func isPaused(_ index: Int) -> Bool {
    accounts[index].isPaused ?? budgets[accounts[index].budget].isPaused
  }

  /// Returns the unit in which an account can't pay for `need` beside the current holds; nil if it
  /// can.
  func shortage(of need: Spend, on index: Int, at now: Timestamp) -> LimitUnit? {
    if let unit = limitShortage(of: need, on: index, at: now) { return unit }
    guard accounts[index].lease != nil else { return nil }
    let leased = limits(at: index, within: .leased, at: now)
    return LimitUnit.allCases.first { unit in
      leased[unit].map { Int128(need[unit]) > accounts[index].remainder(of: $0, in: unit) }
        ?? false
    }
  }

  /// Returns the unit that falls short if this replica had leased the whole limit; nil for none.
  func limitShortage(of need: Spend, on index: Int, at now: Timestamp) -> LimitUnit? {
    let limits = limits(at: index, at: now)
    for unit in LimitUnit.allCases {
      guard let limit = limits[unit] else { continue }
      if !accounts[index].fits(need[unit], in: unit, of: limit) { return unit }
    }
    return nil
  }

  /// Returns the unit in which a `hard` account can't pay for `least` now, so that the request
  /// waits.
  func contention(
    for least: Consumption, of demand: Demand, on portion: Portion, at now: Timestamp
  ) -> LimitUnit? {
    guard enforcement(on: portion) == .hard else { return nil }
    let need = portion.own(least).spend(in: portion.currency, at: portion.rate)
    let unit = shortage(of: need, on: portion.account, at: now)
    if unit == .tokens, creditsPay(least, of: demand, on: portion, at: now) { return nil }
    return unit
  }

  /// Returns the output tokens of each answer that every `hard` account can pay for beside the
  /// current holds.
  ///
  /// Never more than the demand's largest output. Zero if an account can't even pay for the part of
  /// the request before the output.
  func affordableOutput(
    for demand: Demand, on portions: [Portion], within scope: LimitScope, at now: Timestamp
  ) -> Int64 {
    var affordable = demand.largestOutput
    for portion in portions where enforcement(on: portion) == .hard {
      affordable = min(
        affordable, affordableOutput(for: demand, on: portion, within: scope, at: now))
    }
    return affordable
  }

  func affordableOutput(
    for demand: Demand, on portion: Portion, within scope: LimitScope, at now: Timestamp
  ) -> Int64 {
    let account = accounts[portion.account]
    let limits = limits(at: portion.account, within: scope, at: now)
    if let part = portion.part {
      let need = part.demand.bound.spend(in: portion.currency, at: portion.rate)
      let fits = LimitUnit.allCases.allSatisfy { unit in
        limits[unit].map { Int128(need[unit]) <= account.remainder(of: $0, in: unit) } ?? true
      }
      return fits ? demand.largestOutput : 0
    }
    var affordable = demand.largestOutput
    if let limit = limits.tokens {
      let remainder = Int64(clamping: account.remainder(of: limit, in: .tokens))
      affordable = min(affordable, demand.output(within: remainder) ?? 0)
      if affordable < demand.largestOutput {
        affordable = outputWithCredits(
          for: demand, on: portion, atLeast: affordable, within: scope, at: now)
      }
    }
    if let limit = limits.nanoUnits {
      let remainder = Int64(clamping: account.remainder(of: limit, in: .cost))
      let money = Money(nanoUnits: remainder, currency: portion.currency)
      affordable = min(affordable, demand.output(within: money, at: portion.rate) ?? 0)
    }
    return affordable
  }

  private func isWithinLimits(_ index: Int, at now: Timestamp) -> Bool {
    shortage(of: .zero, on: index, at: now) == nil
  }
}
