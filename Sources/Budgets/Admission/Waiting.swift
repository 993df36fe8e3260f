public import Time

// How requests wait for holds to end.
//
// A request that its budgets can pay for, but not beside what is held now, waits in the queue of
// the first account that is in its way. When that account can pay, it moves on to the next one that
// can't, and takes the place there that its arrival gives it. It never waits in two queues. So a
// user's burst waits for the user's own budget and leaves the client's queue to other users: they
// wait behind it only where the client's budget itself is what it waits for.
//
// Within a queue nobody overtakes, a newcomer with a smaller bound included: else a large request
// would wait for as long as small ones arrive.
//
// Whatever gives an account room (a hold that ends, a window, a reset, a raise, another limit)
// serves its queue at once, so that the head of a queue is always really in want of room.

extension BudgetState {
  /// Ends a wait that has taken long enough. What becomes of the request is among the events.
  ///
  /// Does nothing if the request doesn't wait any more: its time and its turn may come at once.
  public mutating func expire(_ ticket: Ticket, at now: Timestamp, events: inout [Event]) {
    defer { assertInvariants() }
    guard waiters.contains(ticket.handle) else { return }
    let waiter = waiters[ticket.handle.index]
    let portions = portions(for: waiter.caller, rates: waiter.demand.rates, at: now)
    serve([], at: now, events: &events)
    guard waiters.contains(ticket.handle) else { return }

    let decision = decide(waiter, on: portions, at: now)
    leave(ticket)
    conclude(ticket, decision, on: portions, at: now, events: &events)
    serve([waiter.account], at: now, events: &events)
  }

  /// Takes back a request that waits, when nobody is there any more to be answered.
  public mutating func withdraw(_ ticket: Ticket, at now: Timestamp, events: inout [Event]) {
    defer { assertInvariants() }
    guard waiters.contains(ticket.handle) else { return }
    let account = waiters[ticket.handle.index].account
    leave(ticket)
    _ = waiters.remove(ticket.handle)
    serve([account], at: now, events: &events)
  }

  /// Lets a newcomer wait, unless too many do.
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

  /// Lets those go whose turn has come at the given accounts, and wherever a window has begun
  /// again.
  ///
  /// The earliest of all their heads is always next: so whoever stands before it in a queue that it
  /// moves on to has been served already, and waits for want of room.
  mutating func serve(_ accounts: [Int], at now: Timestamp, events: inout [Event]) {
    var unserved = accounts
    while true {
      unserved += reopenedQueues
      reopenedQueues.removeAll()
      guard let (account, ticket) = earliestHead(of: unserved) else { return }
      let waiter = waiters[ticket.handle.index]
      let portions = portions(for: waiter.caller, rates: waiter.demand.rates, at: now)
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

  /// Lets those go whose turn has come at a budget's accounts.
  mutating func serve(budget: Int, at now: Timestamp, events: inout [Event]) {
    serve(queues.keys.filter { accounts[$0].budget == budget }, at: now, events: &events)
  }

  /// Takes every waiting request out of its queue, for `requeue` to go on with.
  mutating func emptyQueues() -> [WaitingQueue.Entry] {
    let entries = queues.values.flatMap(\.entries).sorted { $0.arrival < $1.arrival }
    for entry in entries { leave(entry.ticket) }
    return entries
  }

  /// Decides anew about requests that were waiting, in the order of arrival.
  mutating func requeue(
    _ entries: [WaitingQueue.Entry], at now: Timestamp, events: inout [Event]
  ) {
    for entry in entries {
      let waiter = waiters[entry.ticket.handle.index]
      let portions = portions(for: waiter.caller, rates: waiter.demand.rates, at: now)
      let decision = decide(waiter, on: portions, at: now)
      if case .wait(let portion) = decision {
        join(portion.account, entry.ticket)
      } else {
        conclude(entry.ticket, decision, on: portions, at: now, events: &events)
      }
    }
    serve([], at: now, events: &events)
  }

  /// Ends a wait by what was decided; where that is to wait on, the request is told to try again.
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
    // Where it only waits behind others, it may lack nothing itself: then what they hold is named
    // in the first unit that is limited.
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
