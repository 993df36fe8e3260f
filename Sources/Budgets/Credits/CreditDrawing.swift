internal import Money
public import Time

// How credits widen a plan.
//
// A plan counts all tokens of its period. Credits pay for the tokens above its limit. If the plan
// alone can't pay for a request, the request holds the uncovered part of its bound on single
// credits. When the request ends, the plan pays first, up to its remainder at that time, and the
// credits pay the rest. Settled + held therefore never exceeds the plan's limit plus the credits'
// paid and held tokens.
//
// Example: a plan of 1,000 tokens has 300 left, and a request's bound is 500. The plan holds 300
// and a credit holds 200. The request uses 350: the plan pays 300 and the credit 50.
//
// If replicas share limits, the payer is decided at admission: the plan pays for its part of the
// hold, and the credits for theirs. Another replica may already have leased the plan's remainder by
// the end of the request.

extension BudgetState {
  /// Adds new credits. Known credits keep their drawn amounts.
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

  /// Returns a plan's limits plus all credits in tokens of its client. If the plan was passed
  /// before a credit came, the passed amount doesn't draw on that credit.
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

  /// Returns the unit in which a plan couldn't pay for `need` itself even if all holds ended
  /// without use.
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
  /// - Parameter afterHolds: Whether to assume that all holds end without use.
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

  /// Returns the largest output of each answer that the plan and credits in money can pay for
  /// together.
  ///
  /// - Parameter known: The output that the plan can pay for without credits in money.
  func outputWithCredits(
    for demand: Demand, on portion: Portion, atLeast known: Int64, within scope: LimitScope,
    at now: Timestamp
  ) -> Int64 {
    guard let balance = usableBalance(on: portion.account),
      balance.hasFreeMoney(within: scope, at: now)
    else { return known }
    // More output costs more, so a binary search finds the largest output that can be paid for.
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

  /// Holds the part of `bound` that the plan can't pay for on credits.
  ///
  /// - Returns: nil if the plan can pay for all of it, or if plan and credits together can't. The
  ///   latter happens only to a hold of an earlier process.
  mutating func holdCredit(
    for bound: Consumption, rates: ExchangeRates, on index: Int, at now: Timestamp
  ) -> HeldCredit? {
    guard let limit = ownLimits(at: index, within: .leased, at: now).tokens else { return nil }
    let left = Int64(clamping: max(0, planTokensLeft(of: index, limit: limit)))
    let client = budgets[accounts[index].budget].definition.id.client
    // If the sum of the holds would overflow, the excess isn't held.
    let missing = min(bound.tokens - left, .max - accounts[index].heldOnCredits)
    guard missing > 0,
      let draws = purses[client]?.draws(
        missing, of: bound, rates: rates, within: .leased, at: now)
    else { return nil }
    purses[client]?.hold(draws, at: now)
    accounts[index].heldOnCredits += missing
    return HeldCredit(tokens: missing, draws: draws, bound: bound, rates: rates)
  }

  /// Draws the part that the plan doesn't pay for from credits, after a request has ended. Call it
  /// before the use is counted and the account's hold is ended.
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

  /// Draws the part that the plan doesn't pay for from credits, for use without a hold.
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

  /// Draws on credits for a part of a held request's use. The credits keep holding the rest.
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

  /// Returns the draws that `payByCredits` would make, without a change.
  func expectedDraws(
    _ used: Consumption, _ held: HeldCredit, on portion: Portion, at now: Timestamp
  ) -> [CreditDraw] {
    let missing = tokensForCredits(used.tokens, held, on: portion, at: now)
    return balance(of: accounts[portion.account].budget)?.expected(
      held.draws, tokens: missing, of: priced(used, held), rates: held.rates,
      beyondHold: !policy.sharesLimits, at: now) ?? []
  }

  /// The consumption that sets the price of a credit in money: the use, or the bound if all use was
  /// counted in parts before.
  private func priced(_ used: Consumption, _ held: HeldCredit?) -> Consumption {
    used.tokens > 0 ? used : held?.bound ?? used
  }

  /// Returns the tokens of a request that the plan doesn't pay for. The plan pays for its part of
  /// the hold, or for more if more is left by now.
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

  /// Returns the tokens of use without a hold that the plan doesn't pay for.
  func tokensForCredits(reported tokens: Int64, on index: Int, at now: Timestamp) -> Int64 {
    guard let limit = ownLimits(at: index, within: .leasable, at: now).tokens else { return 0 }
    return Int64(
      clamping: max(0, Int128(tokens) - max(0, planTokensLeft(of: index, limit: limit))))
  }

  /// The remainder of the plan itself; negative if the plan is passed.
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
