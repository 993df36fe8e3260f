public import Time

// How requests wait for holds to end.
//
// If a request's budgets can pay for it, but not beside the current holds, the request waits in the
// queue of the first account that lacks room. When that account has room, the request moves to the
// next account that lacks room. Its arrival number sets its place there. A request is never in two
// queues. A user's burst therefore waits in the user's own queue and not in the client's, unless
// the client's budget itself lacks room.
//
// No request overtakes another within a queue, not even a newcomer with a smaller bound. Otherwise
// a large request would wait for as long as small ones arrive.
//
// Every event that gives an account room serves its queue at once: the end of a hold, a new window,
// a reset, a raise, a new limit. The head of a queue therefore always lacks room.

extension BudgetState {
  /// Ends a wait that has reached its timeout. The decision on the request is among the events.
  ///
  /// Does nothing if the request no longer waits, because its turn and its timeout can coincide.
  public mutating func expire(_ ticket: Ticket, at now: Timestamp, events: inout [Event]) {
    defer { assertInvariants() }
    guard waiters.contains(ticket.handle) else { return }
    let waiter = waiters[ticket.handle.index]
    let portions = portions(of: waiter, at: now)
    serve([], at: now, events: &events)
    guard waiters.contains(ticket.handle) else { return }

    let decision = decide(waiter, on: portions, at: now)
    leave(ticket)
    conclude(ticket, decision, on: portions, at: now, events: &events)
    serve([waiter.account], at: now, events: &events)
  }

  /// Removes a waiting request whose client has gone.
  public mutating func withdraw(_ ticket: Ticket, at now: Timestamp, events: inout [Event]) {
    defer { assertInvariants() }
    guard waiters.contains(ticket.handle) else { return }
    let account = waiters[ticket.handle.index].account
    leave(ticket)
    _ = waiters.remove(ticket.handle)
    serve([account], at: now, events: &events)
  }

  /// Puts a new request into a queue, unless the queue is full.
  mutating func enqueue(
    _ demand: Demand, for caller: Caller, behind portion: Portion, of portions: [Portion],
    at now: Timestamp
  ) -> Admission {
    guard hasPlace(in: portion.account) else {
      return .denied(contention(of: demand, on: portion, among: portions, at: now))
    }
    let waiter = Waiter(
      caller: caller, demand: demand, arrival: arrivals, account: portion.account)
    arrivals += 1
    let ticket = Ticket(handle: waiters.insert(waiter))
    join(portion.account, ticket)
    return .waiting(ticket)
  }

  /// Serves the queues of the given accounts, and those of accounts whose window has begun again.
  ///
  /// The earliest request among all heads is always served next. Every request ahead of it in the
  /// next queue has therefore been served already and still lacks room.
  mutating func serve(_ accounts: [Int], at now: Timestamp, events: inout [Event]) {
    var unserved = accounts
    while true {
      unserved += reopenedQueues
      reopenedQueues.removeAll()
      guard let (account, ticket) = earliestHead(of: unserved) else { return }
      let waiter = waiters[ticket.handle.index]
      let portions = portions(of: waiter, at: now)
      let decision = decide(waiter, on: portions, at: now)
      if case .wait(let portion) = decision, portion.account == account {
        unserved.removeAll { $0 == account }
        continue
      }
      leave(ticket)
      if case .wait(let portion) = decision, hasPlace(in: portion.account) {
        join(portion.account, ticket)
      } else {
        conclude(ticket, decision, on: portions, at: now, events: &events)
      }
    }
  }

  private func decide(
    _ waiter: Waiter, on portions: [Portion], at now: Timestamp
  ) -> Decision {
    decide(
      waiter.demand, for: waiter.caller, on: portions, arrival: waiter.arrival, at: now)
  }

  private func earliestHead(of accounts: [Int]) -> (account: Int, ticket: Ticket)? {
    let heads = accounts.lazy.compactMap { account in
      self.queues[account]?.first.map { (account: account, entry: $0) }
    }
    return heads.min { $0.entry.arrival < $1.entry.arrival }.map { ($0.account, $0.entry.ticket) }
  }

  /// Serves the queues of all accounts of a budget.
  mutating func serve(budget: Int, at now: Timestamp, events: inout [Event]) {
    serve(queues.keys.filter { accounts[$0].budget == budget }, at: now, events: &events)
  }

  /// Takes every waiting request out of its queue, so that `requeue` can decide on it again.
  mutating func emptyQueues() -> [WaitingQueue.Entry] {
    let entries = queues.values.flatMap(\.entries).sorted { $0.arrival < $1.arrival }
    for entry in entries { leave(entry.ticket) }
    return entries
  }

  /// Decides again on requests that were waiting, in the order of arrival.
  mutating func requeue(
    _ entries: [WaitingQueue.Entry], at now: Timestamp, events: inout [Event]
  ) {
    for entry in entries {
      let waiter = waiters[entry.ticket.handle.index]
      let portions = portions(of: waiter, at: now)
      let decision = decide(waiter, on: portions, at: now)
      if case .wait(let portion) = decision {
        join(portion.account, entry.ticket)
      } else {
        conclude(entry.ticket, decision, on: portions, at: now, events: &events)
      }
    }
    serve([], at: now, events: &events)
  }

  /// Ends a wait with a decision. If the decision is to wait, the request is refused as contended,
  /// so that the app retries.
  private mutating func conclude(
    _ ticket: Ticket, _ decision: Decision, on portions: [Portion], at now: Timestamp,
    events: inout [Event]
  ) {
    guard let waiter = waiters.remove(ticket.handle) else { return }
    switch decision {
    case .admit(let output):
      let grant = admit(
        waiter.demand, for: waiter.caller, output: output, on: portions, at: now,
        events: &events)
      events.append(.admitted(ticket, grant))
    case .wait(let portion):
      let denial = contention(of: waiter.demand, on: portion, among: portions, at: now)
      events.append(.denied(ticket, denial))
    case .refuseConversation(let denial):
      reportFirst(ofConversations: denial, at: now, events: &events)
      events.append(.denied(ticket, denial))
    case .refuse(let portion, let obstacle):
      let denial = refuse(
        waiter.demand, because: obstacle, of: portion, among: portions, at: now, events: &events)
      events.append(.denied(ticket, denial))
    }
  }

  private func contention(
    of demand: Demand, on portion: Portion, among portions: [Portion], at now: Timestamp
  ) -> Denial {
    let least = demand.bound(output: demand.leastOutput)
    let whole = demand.bound(output: demand.largestOutput)
    // A request that waits only behind others may lack no unit itself. The refusal then names the
    // first limited unit.
    let unit =
      contention(for: least, of: demand, on: portion, at: now)
      ?? contention(for: whole, of: demand, on: portion, at: now)
      ?? firstLimitedUnit(on: portion)
    return denial(of: demand, because: .contention(unit), of: portion, among: portions, at: now)
  }

  private func firstLimitedUnit(on portion: Portion) -> LimitUnit {
    budgets[accounts[portion.account].budget].limits.tokens == nil ? .cost : .tokens
  }
}

// MARK: - Queues

extension BudgetState {
  mutating func portions(of waiter: Waiter, at now: Timestamp) -> [Portion] {
    portions(
      for: waiter.caller, rates: waiter.demand.rates, parts: waiter.demand.parts, at: now)
  }

  private func hasPlace(in account: Int) -> Bool {
    queues[account]?.entries.count ?? 0 < policy.admissionQueue
  }

  private mutating func join(_ account: Int, _ ticket: Ticket) {
    waiters[ticket.handle.index].account = account
    let arrival = waiters[ticket.handle.index].arrival
    queues[account, default: WaitingQueue()].insert(ticket, arrival: arrival)
    accounts[account].isQueued = true
  }

  private mutating func leave(_ ticket: Ticket) {
    let account = waiters[ticket.handle.index].account
    queues[account]?.remove(ticket)
    guard queues[account]?.first == nil else { return }
    queues[account] = nil
    accounts[account].isQueued = false
  }
}
