internal import Money
public import Time

// How credits widen a plan.
//
// A plan counts all tokens of its period. What lies above its limit is paid by credits, which are
// held like budgets: a request that the plan alone can't pay for sets aside, on single credits,
// what the plan doesn't pay of its bound. When it ends, the plan pays first whatever it has left by
// then, and the credits the rest. So settled + held never exceeds the plan's limit, what credits
// have paid and what they hold together.
//
// Where replicas share limits, who pays what is decided when the request is let in: the plan what
// is held of it, credits what is held of them. What the plan has left by the end is another
// request's already, which the ledger doesn't know yet.

extension BudgetState {
  /// Takes new credits into account; those that are known stay as they have been drawn.
  public mutating func takeCredits(
    _ credits: [Credit], at now: Timestamp, events: inout [Event]
  ) {
    defer { assertInvariants() }
    for (client, credits) in Dictionary(grouping: credits, by: \.client) {
      let isNew = purses[client, default: CreditBalance()].take(
        credits, keeping: leases.drawnCredits, at: now)
      if policy.sharesLimits { openCreditLeases(of: client, at: now) }
      guard isNew, let plan = budgetByID[.plan(of: client)] else { continue }
      for account in budgets[plan].accounts.values {
        setLimitPause(nil, on: account, at: now, events: &events)
      }
      serve(budget: plan, at: now, events: &events)
    }
  }

  /// A plan's limits with all that its client's credits in tokens add to them. A plan that is
  /// passed takes nothing of a credit that came later.
  func widened(
    _ limits: LimitsInForce, of account: Account, within scope: LimitScope, at now: Timestamp
  ) -> LimitsInForce {
    guard let tokens = limits.tokens else { return limits }
    let free =
      purses.isEmpty ? 0 : balance(of: account.budget)?.freeTokens(within: scope, at: now) ?? 0
    var limit = tokens.addingSaturating(account.paidByCredits)
      .addingSaturating(account.heldOnCredits)
    if free > 0 {
      limit = max(limit, account.settled.tokens.addingSaturating(account.held.tokens))
        .addingSaturating(free)
    }
    var limits = limits
    limits.tokens = limit
    return limits
  }

  /// The unit in which a plan couldn't pay for `need` itself if all holds ended at nothing.
  func planCouldNotPay(_ need: Spend, on index: Int, at now: Timestamp) -> LimitUnit? {
    let limits = ownLimits(at: index, at: now)
    return LimitUnit.allCases.first { unit in
      let paid = unit == .tokens ? accounts[index].paidByCredits : 0
      return limits[unit].map {
        !accounts[index].couldFit(need[unit], in: unit, of: $0.addingSaturating(paid))
      } ?? false
    }
  }

  /// Whether the plan and its client's credits together can pay for `whole`.
  ///
  /// - Parameter afterHolds: as if all holds had ended at nothing.
  func creditsPay(
    _ whole: Consumption, of demand: Demand, on portion: Portion, afterHolds: Bool = false,
    within scope: LimitScope = .leased, at now: Timestamp
  ) -> Bool {
    guard let balance = usableBalance(on: portion.account),
      let limit = ownLimits(at: portion.account, within: scope, at: now).tokens
    else { return false }
    var left = planTokensLeft(of: portion.account, limit: limit)
    if afterHolds {
      let account = accounts[portion.account]
      left += Int128(account.held.tokens) - Int128(account.heldOnCredits)
    }
    let missing = Int64(clamping: Int128(whole.tokens) - max(0, left))
    guard missing > 0 else {
      return limit > 0 || balance.freeTokens(within: scope, at: now) > 0
        || balance.hasFreeMoney(within: scope, at: now)
    }
    return balance.draws(
      missing, of: whole, rates: demand.rates, within: scope, afterHolds: afterHolds, at: now)
      != nil
  }

  /// The largest output of each answer that the plan can pay for together with credits in money.
  ///
  /// - Parameter known: what it can pay for without them.
  func outputWithCredits(
    for demand: Demand, on portion: Portion, atLeast known: Int64, within scope: LimitScope,
    at now: Timestamp
  ) -> Int64 {
    guard let balance = usableBalance(on: portion.account),
      balance.hasFreeMoney(within: scope, at: now)
    else { return known }
    // The more output, the more it costs: what can be paid lies below what can't.
    var (payable, unpayable) = (known, demand.largestOutput.addingSaturating(1))
    while unpayable - payable > 1 {
      let middle = payable + (unpayable - payable) / 2
      if creditsPay(
        demand.bound(output: middle), of: demand, on: portion, within: scope, at: now)
      {
        payable = middle
      } else {
        unpayable = middle
      }
    }
    return payable
  }

  /// Sets aside what the plan itself can't pay of `bound`; nil where it can pay for all, or where
  /// neither can: that is only so of a hold that an earlier process took.
  mutating func holdCredit(
    for bound: Consumption, rates: ExchangeRates, on index: Int, at now: Timestamp
  ) -> HeldCredit? {
    guard let limit = ownLimits(at: index, within: .leased, at: now).tokens else { return nil }
    let left = Int64(clamping: max(0, planTokensLeft(of: index, limit: limit)))
    let client = budgets[accounts[index].budget].definition.id.client
    // What can't be counted beside other holds isn't held.
    let missing = min(bound.tokens - left, .max - accounts[index].heldOnCredits)
    guard missing > 0,
      let draws = purses[client]?.draws(
        missing, of: bound, rates: rates, within: .leased, at: now)
    else { return nil }
    purses[client]?.hold(draws, at: now)
    accounts[index].heldOnCredits += missing
    return HeldCredit(tokens: missing, draws: draws, bound: bound, rates: rates)
  }

  /// Lets credits pay what the plan doesn't of a request that has ended. Comes before the use is
  /// counted and the hold on the account is ended.
  mutating func payByCredits(
    _ used: Consumption, _ held: HeldCredit?, on portion: Portion, at now: Timestamp
  ) -> [CreditDraw] {
    let index = portion.account
    let client = budgets[accounts[index].budget].definition.id.client
    guard purses[client] != nil else { return [] }
    let missing = tokensForCredits(used.tokens, held, on: portion, at: now)
    let priced = self.priced(used, held)
    let draws =
      purses[client]?.settle(
        held?.draws ?? [], tokens: missing, of: priced, rates: held?.rates ?? policy.rates,
        beyondHold: !policy.sharesLimits, at: now) ?? []
    guard accounts[index].epoch == portion.epoch else { return draws }
    accounts[index].heldOnCredits -= held?.tokens ?? 0
    accounts[index].paidByCredits.addSaturating(draws.tokens)
    return draws
  }

  /// Lets credits pay what the plan doesn't of use that nothing was held for.
  mutating func payByCredits(
    reported used: Consumption, rates: ExchangeRates, on portion: Portion, at now: Timestamp
  ) -> [CreditDraw] {
    let index = portion.account
    let client = budgets[accounts[index].budget].definition.id.client
    let missing = tokensForCredits(reported: used.tokens, on: index, at: now)
    let draws =
      purses[client]?.settle(
        [], tokens: missing, of: used, rates: rates, beyondHold: true, at: now) ?? []
    accounts[index].paidByCredits.addSaturating(draws.tokens)
    return draws
  }

  /// Lets credits pay what the plan doesn't of a part of what a held request uses; what they hold
  /// of the rest stays held.
  mutating func drawCredit(
    _ part: Consumption, from hold: Int, on position: Int, at now: Timestamp
  ) -> [CreditDraw] {
    let portion = holds[hold].portions[position]
    let held = holds[hold].credit
    let draws = payByCredits(part, held, on: portion, at: now)
    guard let held else { return draws }
    let rest = held.draws.compactMap { $0.rest(after: draws) }
    let paid = draws.tokens
    let tokens = max(0, held.tokens - paid)
    purses[budgets[accounts[portion.account].budget].definition.id.client]?.hold(rest, at: now)
    if accounts[portion.account].epoch == portion.epoch {
      accounts[portion.account].heldOnCredits += tokens
    }
    holds[hold].credit = HeldCredit(
      tokens: tokens, draws: rest, bound: held.bound, rates: held.rates)
    return draws
  }

  /// What `payByCredits` would answer. Nothing changes.
  func expectedDraws(
    _ used: Consumption, _ held: HeldCredit, on portion: Portion, at now: Timestamp
  ) -> [CreditDraw] {
    let missing = tokensForCredits(used.tokens, held, on: portion, at: now)
    return balance(of: accounts[portion.account].budget)?.expected(
      held.draws, tokens: missing, of: priced(used, held), rates: held.rates,
      beyondHold: !policy.sharesLimits, at: now) ?? []
  }

  /// What a money credit's price is taken from: the use, or the bound where all use was counted in
  /// parts before.
  private func priced(_ used: Consumption, _ held: HeldCredit?) -> Consumption {
    used.tokens > 0 ? used : held?.bound ?? used
  }

  /// How many of a request's tokens the plan doesn't pay: it pays what was held of it, or more
  /// where more is left by now.
  private func tokensForCredits(
    _ tokens: Int64, _ held: HeldCredit?, on portion: Portion, at now: Timestamp
  ) -> Int64 {
    let own = portion.held.tokens - (held?.tokens ?? 0)
    let index = portion.account
    guard accounts[index].epoch == portion.epoch, !policy.sharesLimits else {
      return max(0, tokens.subtractingSaturating(own))
    }
    guard let limit = ownLimits(at: index, at: now).tokens else { return 0 }
    let left = planTokensLeft(of: index, limit: limit) + Int128(own)
    return Int64(clamping: max(0, Int128(tokens) - max(Int128(own), left)))
  }

  /// How many tokens the plan doesn't pay that nothing was held for.
  func tokensForCredits(reported tokens: Int64, on index: Int, at now: Timestamp) -> Int64 {
    guard let limit = ownLimits(at: index, within: .leasable, at: now).tokens else { return 0 }
    return Int64(
      clamping: max(0, Int128(tokens) - max(0, planTokensLeft(of: index, limit: limit))))
  }

  /// What is left of the plan itself; negative where it is passed.
  func planTokensLeft(of index: Int, limit: Int64) -> Int128 {
    accounts[index].remainder(of: limit, in: .tokens)
      + Int128(accounts[index].paidByCredits) + Int128(accounts[index].heldOnCredits)
  }

  func balance(of budget: Int) -> CreditBalance? {
    purses[budgets[budget].definition.id.client]
  }

  func usableBalance(on account: Int) -> CreditBalance? {
    guard !purses.isEmpty, budgets[accounts[account].budget].isPlan else { return nil }
    return balance(of: accounts[account].budget)
  }

  /// Whether credits in money could still pay for tokens beyond this account's limit.
  func hasFreeMoney(beside account: Account, at now: Timestamp) -> Bool {
    guard budgets[account.budget].isPlan else { return false }
    return balance(of: account.budget)?.hasFreeMoney(within: .whole, at: now) ?? false
  }
}
