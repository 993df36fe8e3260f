internal import Money
public import Time

// How replicas share limits.
//
// In the shared ledger, an account has its settled use and one lease for each replica. Settled use
// plus all leases never exceeds the limit. A replica holds requests against its own lease alone, in
// memory. If its lease can't pay for a request, the replica asks the ledger for more first. If
// other replicas have leased that part, the request waits as it does for holds.
//
// At any time, the ledger has leased at least as much to this replica as the replica uses. The
// owner of the state guarantees that by keeping this order:
// - A lease grows in the ledger first, then here (`take`).
// - A lease shrinks here first (`giveBack`), then in the ledger, before any later request.
// - A settlement and its deduction from the lease are committed in the ledger before the hold ends
//   here.
//
// If an answer is lost, the ledger keeps an unused lease. It ends when the account is idle and
// gives back everything.
//
// Example: the limit is 10,000 tokens, and 4,000 are settled. Replica A has leased 3,000 and
// replica B 2,000. A request at A may hold up to 3,000 at once. A may lease the last 1,000, but
// never B's 2,000.

extension BudgetState {
  /// Returns the lease requests that a request needs to be held in whole. Empty if the leases
  /// already pay for it, or if no lease could help.
  ///
  /// The answers go to `take`; an answer may be lost. The request then asks for its hold with the
  /// leases that exist.
  public mutating func leaseRequests(
    for demand: Demand, of caller: Caller, at now: Timestamp, events: inout [Event]
  ) -> [LeaseRequest] {
    guard policy.sharesLimits else { return [] }
    defer { assertInvariants() }
    let portions = portions(for: caller, rates: demand.rates, parts: demand.parts, at: now)
    serve([], at: now, events: &events)
    // If other requests wait, this one waits behind them and asks when its turn comes.
    guard !portions.contains(where: { accounts[$0.account].isQueued }) else { return [] }
    return leaseRequests(for: demand, of: caller, on: portions, at: now)
  }

  /// Returns the lease requests for the heads of the queues, and for holds that exceed their lease
  /// because they were restored or their lease was voided.
  ///
  /// - Returns: At most one request for each account.
  public mutating func outstandingLeaseRequests(
    at now: Timestamp, events: inout [Event]
  ) -> [LeaseRequest] {
    guard policy.sharesLimits else { return [] }
    defer { assertInvariants() }
    var requests: [LeaseRequest] = []
    for entry in queues.values.compactMap(\.first).sorted(by: { $0.arrival < $1.arrival }) {
      let waiter = waiters[entry.ticket.handle.index]
      let portions = portions(of: waiter, at: now)
      requests += leaseRequests(for: waiter.demand, of: waiter.caller, on: portions, at: now)
    }
    requests += leases.drawn.sorted().compactMap { requestForHolds(of: $0, at: now) }
    requests += creditRequestsForHolds()
    serve([], at: now, events: &events)
    var asked: Set<LeaseID> = []
    return requests.filter { asked.insert($0.lease).inserted }
  }

  private mutating func leaseRequests(
    for demand: Demand, of caller: Caller, on portions: [Portion], at now: Timestamp
  ) -> [LeaseRequest] {
    guard refusal(of: demand, on: portions, at: now) == nil,
      conversationDenial(for: caller, at: now) == nil
    else { return [] }
    let least = demand.bound(output: demand.leastOutput)
    // Room that this replica's own holds take is freed when they end.
    guard !portions.contains(where: { isHeldUp(least, of: demand, on: $0, at: now) }) else {
      return []
    }
    let whole = demand.bound(output: outputToLease(for: demand, on: portions, at: now))
    let requests = portions.compactMap { portion -> LeaseRequest? in
      if isLeftToCredits(whole, of: demand, on: portion, at: now) { return nil }
      return leaseRequest(
        least: portion.own(least).spend(in: portion.currency, at: portion.rate),
        whole: portion.own(whole).spend(in: portion.currency, at: portion.rate),
        on: portion.account, at: now)
    }
    for portion in portions where requests.contains(where: { isFor(portion.account, $0) }) {
      leases.drawn.insert(portion.account)
      accounts[portion.account].lease?.lastHold = now
    }
    return requests + creditRequests(for: whole, of: demand, on: portions, at: now)
  }

  private func isFor(_ account: Int, _ request: LeaseRequest) -> Bool {
    accounts[account].lease?.id == request.lease
  }

  /// Whether a `hard` account couldn't pay for `least` now even if this replica had leased the
  /// whole limit.
  private func isHeldUp(
    _ least: Consumption, of demand: Demand, on portion: Portion, at now: Timestamp
  ) -> Bool {
    guard enforcement(on: portion) == .hard else { return false }
    let need = portion.own(least).spend(in: portion.currency, at: portion.rate)
    let unit = limitShortage(of: need, on: portion.account, at: now)
    if unit == .tokens, creditsPay(least, of: demand, on: portion, within: .whole, at: now) {
      return false
    }
    return unit != nil
  }

  /// Returns the output that the request would get if this replica leased everything that other
  /// replicas haven't.
  private func outputToLease(
    for demand: Demand, on portions: [Portion], at now: Timestamp
  ) -> Int64 {
    if demand.limitIsExplicit { return demand.largestOutput }
    let left = affordableOutput(for: demand, on: portions, within: .leasable, at: now)
    if left >= demand.largestOutput { return demand.largestOutput }
    return Clamp.output(
      affordable: left, usual: demand.usualOutput, largest: demand.largestOutput)
      ?? demand.leastOutput
  }

  private func leaseRequest(
    least: Spend, whole: Spend, on index: Int, at now: Timestamp
  ) -> LeaseRequest? {
    guard let lease = accounts[index].lease else { return nil }
    let limits = ownLimits(at: index, at: now)
    let free = Spend(
      tokens: accounts[index].freeLease(lease, in: .tokens),
      nanoUnits: accounts[index].freeLease(lease, in: .cost))
    let wanted = limits.limited(whole.missing(beside: free))
    guard wanted != .zero else { return nil }
    var needed = limits.limited(least.missing(beside: free))
    // Credits may pay for the part that a plan doesn't.
    let budget = budgets[accounts[index].budget]
    if budget.isPlan, purses[budget.definition.id.client] != nil { needed.tokens = 0 }
    return LeaseRequest(
      of: .account(accountKey(of: index)), limits: limits, least: needed, wanted: wanted,
      lease: lease.id)
  }

  private func requestForHolds(of index: Int, at now: Timestamp) -> LeaseRequest? {
    guard let lease = accounts[index].lease else { return nil }
    let limits = ownLimits(at: index, at: now)
    let wanted = accounts[index].heldBeyondLease(of: limits).least(accounts[index].held)
    guard wanted != .zero else { return nil }
    return LeaseRequest(
      of: .account(accountKey(of: index)), limits: limits, least: .zero, wanted: wanted,
      lease: lease.id)
  }
}

// MARK: - The leases of accounts

extension BudgetState {
  /// Replaces an account's lease by an empty one if its limit is shared; otherwise removes the
  /// lease.
  mutating func openLease(on index: Int, at now: Timestamp) {
    guard policy.sharesLimits,
      budgets[accounts[index].budget].definition.enforcement == .hard
    else {
      accounts[index].lease = nil
      return
    }
    accounts[index].lease = Lease(id: leases.nextID(), lastHold: now)
    if accounts[index].held != .zero { holdBeyondLease(on: index, at: now) }
  }

  /// Marks an account whose holds exceed its lease, so that the missing part is requested.
  mutating func holdBeyondLease(on index: Int, at now: Timestamp) {
    accounts[index].lease?.mayBeExceeded = true
    accounts[index].lease?.lastHold = now
    leases.drawn.insert(index)
  }

  /// Gives a lease back that the account uses for nothing new, once its last hold has ended.
  mutating func endLease(on index: Int) {
    guard leases.drawn.remove(index) != nil else { return }
    let key = accountKey(of: index)
    if accounts[index].liveHolds > 0 {
      leases.former[index, default: []].append(key)
    } else {
      leases.ended.append(.account(key))
    }
  }

  mutating func endFormerLeases(of index: Int) {
    guard accounts[index].liveHolds == 0 else { return }
    leases.ended += (leases.former.removeValue(forKey: index) ?? []).map(LeaseSource.account)
  }

  /// Returns the part of a settlement that is subtracted from an account's lease.
  func usedOfLease(_ spend: Spend, paidByCredits: Int64, on index: Int) -> Spend {
    guard accounts[index].lease != nil else { return .zero }
    let used = Spend(tokens: max(0, spend.tokens - paidByCredits), nanoUnits: spend.nanoUnits)
    return budgets[accounts[index].budget].limits.limited(used)
  }

  /// Returns a hold's part of an account's lease.
  func heldOfLease(_ portion: Portion) -> Spend {
    guard accounts[portion.account].lease != nil else { return .zero }
    return budgets[accounts[portion.account].budget].limits.limited(portion.held)
  }

  func accountKey(of index: Int) -> AccountKey {
    let budget = accounts[index].budget
    return AccountKey(
      budget: budgets[budget].definition.id,
      subject: budgets[budget].subject(accounts[index].subject),
      period: budgets[budget].definition.period.description, window: accounts[index].window,
      currency: budgets[budget].currency)
  }
}

extension Spend {
  /// Returns the amount missing to this spend beside `free`, which may be negative.
  fileprivate func missing(beside free: Spend) -> Spend {
    Spend(
      tokens: Int64(clamping: max(0, Int128(tokens) - Int128(free.tokens))),
      nanoUnits: Int64(clamping: max(0, Int128(nanoUnits) - Int128(free.nanoUnits))))
  }
}

/// The leases that the ledger has granted, or may have granted. Each must be given back.
struct LeaseBook: Sendable {
  /// Accounts with a request for their current lease, whatever its result, or with holds beyond
  /// their lease.
  var drawn: Set<Int> = []
  /// Former leases of accounts that opened another lease while holds lived, by account index. They
  /// end with the last of the account's holds.
  var former: [Int: [AccountKey]] = [:]
  /// Leases without any holds.
  var ended: [LeaseSource] = []
  /// Credits with a request for their current lease, or with holds beyond their lease.
  var drawnCredits: Set<CreditKey> = []
  /// The number of times that all leases were voided.
  var epoch: UInt64 = 0
  private var count: UInt64 = 0

  mutating func nextID() -> LeaseID {
    count += 1
    return LeaseID(number: count)
  }
}
