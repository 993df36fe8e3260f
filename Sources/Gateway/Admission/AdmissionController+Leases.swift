internal import Budgets
internal import Ledger
internal import Time

// The controller's leases of limits that replicas share.

extension AdmissionController {
  /// Has leased what a request needs, as far as it is left; false where the ledger can't be asked.
  func lease(for demand: Demand, of caller: Caller, at leases: LeaseClient) async -> Bool {
    let requests = change { state, now, events in
      state.budgets.leaseRequests(for: demand, of: caller, at: now, events: &events)
    }
    if requests.isEmpty { return true }
    return await leases.draw(requests) { [self] in take($0) }
  }

  /// Has leased of credits what they are to pay of use that is about to be recorded, as far as it
  /// is left.
  func lease(for usage: ExternalUsage, at leases: LeaseClient) async {
    let requests = change { state, now, _ in
      state.budgets.creditRequests(
        reporting: usage.consumption, rates: usage.rates, for: usage.caller, at: now)
    }
    if !requests.isEmpty { _ = await leases.draw(requests) { [self] in take($0) } }
  }

  private func take(_ answers: [LeaseAnswer]) {
    change { state, now, events in
      let reached = state.budgets.take(answers, at: now, events: &events)
      events += reached.map(Event.thresholdReached)
    }
  }

  /// Leases for those who wait; false where the ledger can't be asked.
  func leaseForWaiting(at leases: LeaseClient) async -> Bool {
    let requests = change { state, now, events in
      state.budgets.outstandingLeaseRequests(at: now, events: &events)
    }
    if requests.isEmpty { return true }
    return await leases.draw(requests) { [self] in take($0) }
  }

  /// Gives back what was not used for `span`.
  func giveBack(idleFor span: Duration, to leases: LeaseClient) async {
    await giveBack(to: leases) { state, now in state.giveBack(idleFor: span, at: now) }
  }

  /// Gives back what is free of accounts and credits for which others wait.
  func giveBackFree(of sources: [LeaseSource], to leases: LeaseClient) async {
    await giveBack(to: leases) { state, _ in state.giveBackFree(of: sources) }
  }

  /// Gives back all that isn't held.
  func giveBackEverything(to leases: LeaseClient) async {
    await giveBack(to: leases) { state, now in state.giveBackEverything(at: now) }
  }

  private func giveBack(
    to leases: LeaseClient, _ choose: (inout BudgetState, Timestamp) -> [LeaseReturn]
  ) async {
    let returns = change { state, now, _ in choose(&state.budgets, now) }
    do {
      try await leases.giveBack(returns)
    } catch {
      change { state, _, _ in state.budgets.notGivenBack(returns) }
    }
  }

  /// Other replicas have ended all leases of this one.
  func voidLeases() {
    change { state, now, _ in state.budgets.voidLeases(at: now) }
  }

  /// Whether a grant stands on leases that others have ended. It must be asked again once its
  /// intent is committed: until then they may.
  func isVoid(_ grant: Grant) -> Bool {
    leases != nil && read { $0.leaseEpoch } != grant.leaseEpoch
  }

  /// Takes over what all replicas have settled in some accounts, or drawn of some credits; returns
  /// where to go on.
  func learn(
    from place: StandingsPage.Place, of leases: LeaseClient, at now: Timestamp
  ) async throws(LedgerError) -> StandingsPage.Place {
    let page = try await leases.standings(from: place, at: now)
    change { state, now, events in
      let reached = state.budgets.learn(page.standings, at: now, events: &events)
      events += reached.map(Event.thresholdReached)
    }
    return page.next ?? .beginning
  }
}
