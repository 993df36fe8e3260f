public import Money
public import Time

// How replicas share credits: the same way as limits. The granted amount is the limit, and the
// draws of all replicas are the settled use.

extension BudgetState {
  // MARK: Asking

  /// Whether credits could pay for the whole request while the plan has nothing left to lease. The
  /// replica then doesn't ask for the plan's lease with each request.
  func isLeftToCredits(
    _ whole: Consumption, of demand: Demand, on portion: Portion, at now: Timestamp
  ) -> Bool {
    guard usableBalance(on: portion.account) != nil,
      let limit = ownLimits(at: portion.account, within: .leasable, at: now).tokens,
      planTokensLeft(of: portion.account, limit: limit) <= 0
    else { return false }
    return creditsPay(whole, of: demand, on: portion, within: .leasable, at: now)
  }

  /// Returns the lease requests on credits for the part of a request that a plan doesn't pay for.
  mutating func creditRequests(
    for whole: Consumption, of demand: Demand, on portions: [Portion], at now: Timestamp
  ) -> [LeaseRequest] {
    guard !purses.isEmpty,
      let plan = portions.first(where: { budgets[accounts[$0.account].budget].isPlan }),
      let limit = ownLimits(at: plan.account, within: .leasable, at: now).tokens
    else { return [] }
    let left = max(0, planTokensLeft(of: plan.account, limit: limit))
    return creditRequests(
      for: Int64(clamping: Int128(whole.tokens) - left), of: whole, rates: demand.rates,
      client: budgets[accounts[plan.account].budget].definition.id.client, at: now)
  }

  /// Returns the lease requests on credits for use that `record` is about to report, as far as the
  /// plan doesn't pay for it.
  public mutating func creditRequests(
    reporting used: Consumption, rates: ExchangeRates, for caller: Caller, at now: Timestamp
  ) -> [LeaseRequest] {
    guard policy.sharesLimits, let plan = budgetByID[.plan(of: caller.client)] else { return [] }
    defer { assertInvariants() }
    let account = account(of: plan, subject: caller.client, at: now)
    return creditRequests(
      for: tokensForCredits(reported: used.tokens, on: account, at: now), of: used, rates: rates,
      client: caller.client, at: now)
  }

  private mutating func creditRequests(
    for tokens: Int64, of whole: Consumption, rates: ExchangeRates, client: String,
    at now: Timestamp
  ) -> [LeaseRequest] {
    guard tokens > 0, let balance = purses[client] else { return [] }
    // If other replicas have leased the missing part, the request makes them give it back.
    let draws =
      balance.draws(tokens, of: whole, rates: rates, within: .leasable, at: now)
      ?? balance.draws(tokens, of: whole, rates: rates, within: .whole, at: now) ?? []
    return draws.compactMap { draw in
      let request = purses[client]?.change(draw.credit) { entry -> LeaseRequest? in
        guard let request = entry.leaseRequest(for: draw.amount) else { return nil }
        entry.lease?.lastHold = now
        return request
      }
      guard let request, let request else { return nil }
      leases.drawnCredits.insert(CreditKey(id: draw.credit, client: client))
      return request
    }
  }

  /// Returns the lease requests for holds that exceed their lease since the lease was voided.
  func creditRequestsForHolds() -> [LeaseRequest] {
    sortedDrawnCredits().compactMap { key in
      entry(of: key).flatMap { $0.heldBeyondLease > 0 ? $0.leaseRequest(for: 0) : nil }
    }
  }

  // MARK: Hearing

  /// - Returns: The accounts that may gain room.
  mutating func take(_ answer: LeaseAnswer, of key: CreditKey) -> [Int] {
    guard entry(of: key)?.lease?.id == answer.lease else {
      noteUnused(answer.standing.source)
      return []
    }
    change(key) { $0.lease?.amount.addSaturating(answer.added) }
    return learn(answer.standing, of: key)
  }

  /// - Returns: The accounts that may gain room.
  mutating func learn(_ standing: SharedStanding, of key: CreditKey) -> [Int] {
    change(key) { $0.learn(standing) }
    return planAccounts(of: key.client)
  }

  // MARK: Giving back

  mutating func giveBackCredits(idleFor span: Duration, at now: Timestamp) -> [LeaseReturn] {
    let idle = sortedDrawnCredits().filter { key in
      guard let entry = entry(of: key), let lease = entry.lease else { return true }
      return entry.held == 0 && lease.lastHold.advanced(by: span) <= now
        && !planAccounts(of: key.client).contains { accounts[$0].isQueued }
    }
    return idle.map { giveBackWhole($0, at: now) }
  }

  mutating func giveBackAllCredits(at now: Timestamp) -> [LeaseReturn] {
    sortedDrawnCredits().compactMap { key in
      entry(of: key)?.held ?? 0 == 0 ? giveBackWhole(key, at: now) : giveBackFree(of: key)
    }
  }

  private mutating func giveBackWhole(_ key: CreditKey, at now: Timestamp) -> LeaseReturn {
    leases.drawnCredits.remove(key)
    openLease(of: key, at: now)
    return LeaseReturn(of: .credit(key), amount: .everything)
  }

  mutating func giveBackFree(of key: CreditKey) -> LeaseReturn? {
    guard let entry = entry(of: key), entry.lease != nil, entry.freeLease > 0 else { return nil }
    let free = Spend(entry.freeLease, in: entry.unit)
    change(key) { $0.lease?.amount.subtract(free) }
    return LeaseReturn(of: .credit(key), amount: .part(free))
  }

  // MARK: The leases of credits

  /// Opens empty leases for a client's credits that have none.
  mutating func openCreditLeases(of client: String, at now: Timestamp) {
    var book = leases
    purses[client]?.openLeases { Lease(id: book.nextID(), lastHold: now) }
    leases = book
  }

  /// Replaces a credit's lease by an empty one.
  mutating func openLease(of key: CreditKey, at now: Timestamp) {
    let lease = Lease(id: leases.nextID(), lastHold: now)
    change(key) { $0.open(lease) }
  }

  func entry(of key: CreditKey) -> CreditBalanceEntry? { purses[key.client]?.entry(of: key.id) }

  func sortedDrawnCredits() -> [CreditKey] { leases.drawnCredits.sorted { $0.id < $1.id } }

  private mutating func change(_ key: CreditKey, _ body: (inout CreditBalanceEntry) -> Void) {
    _ = purses[key.client]?.change(key.id, body)
  }

  private func planAccounts(of client: String) -> [Int] {
    guard let plan = budgetByID[.plan(of: client)] else { return [] }
    return budgets[plan].accounts.values.sorted()
  }

  // MARK: Invariants

  /// Checks that holds on a credit never exceed its lease, unless leases were voided, and that
  /// every lease will be given back.
  func checkCreditLeases() -> [String] {
    var wrong = purses.values.flatMap(\.entries).compactMap { entry -> String? in
      guard let lease = entry.lease else {
        return policy.sharesLimits ? "credit \(entry.key.id) has no lease" : nil
      }
      if !policy.sharesLimits { return "credit \(entry.key.id) is leased, and isn't shared" }
      if lease.amount != .zero, !leases.drawnCredits.contains(entry.key) {
        return "the lease of credit \(entry.key.id) won't be given back"
      }
      if lease.mayBeExceeded || entry.heldBeyondLease == 0 { return nil }
      return "more is held of credit \(entry.key.id) than leased: \(entry)"
    }
    for key in leases.drawnCredits where entry(of: key) == nil {
      wrong.append("credit \(key.id) is leased and forgotten")
    }
    return wrong
  }
}
