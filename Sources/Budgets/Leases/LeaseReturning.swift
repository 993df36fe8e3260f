public import Time

// How leases end. A replica stops using a lease before it tells the ledger.

extension BudgetState {
  /// Gives back whole leases that nothing is held on: leases of ended windows, and leases of
  /// accounts and credits that have taken no hold for `span` and have no queue.
  public mutating func giveBack(
    idleFor span: Duration, at now: Timestamp
  ) -> [LeaseReturn] {
    defer { assertInvariants() }
    let ended = takeEndedLeases()
    let idle = leases.drawn.sorted().filter { index in
      accounts[index].liveHolds == 0 && !accounts[index].isQueued
        && (accounts[index].lease.map { $0.lastHold.advanced(by: span) <= now } ?? true)
    }
    return ended + idle.map { giveBackWhole($0, at: now) }
      + giveBackCredits(idleFor: span, at: now)
  }

  /// Gives back the free part of the leases of accounts and credits for which other replicas wait.
  ///
  /// This also applies to accounts on which requests of this replica wait. Otherwise two replicas
  /// could each keep the part that the other lacks.
  public mutating func giveBackFree(of sources: [LeaseSource]) -> [LeaseReturn] {
    defer { assertInvariants() }
    return sources.compactMap { source in
      switch source {
      case .account(let key): knownAccount(key).flatMap { giveBackFree(of: $0) }
      case .credit(let key): giveBackFree(of: key)
      }
    }
  }

  /// Gives back everything that isn't held, when the replica stops.
  public mutating func giveBackEverything(at now: Timestamp) -> [LeaseReturn] {
    defer { assertInvariants() }
    return takeEndedLeases()
      + leases.drawn.sorted().compactMap { index in
        accounts[index].liveHolds == 0 ? giveBackWhole(index, at: now) : giveBackFree(of: index)
      } + giveBackAllCredits(at: now)
  }

  /// Marks returns that may not have reached the ledger. They are given back again when the account
  /// or the credit is idle.
  public mutating func notGivenBack(_ returns: [LeaseReturn]) {
    defer { assertInvariants() }
    for lost in returns { noteUnused(lost.source) }
  }

  /// Empties all leases. The replica couldn't prove that it is alive, so other replicas may have
  /// taken them.
  ///
  /// Holds live on and exceed the leases until new leases cover them.
  public mutating func voidLeases(at now: Timestamp) {
    defer { assertInvariants() }
    leases.epoch &+= 1
    for index in leases.drawn.sorted() { openLease(on: index, at: now) }
    for key in sortedDrawnCredits() { openLease(of: key, at: now) }
    permits.void()
  }

  /// The number of times that leases were voided. A grant of an earlier epoch stands on no current
  /// lease.
  public var leaseEpoch: UInt64 { leases.epoch }

  private mutating func giveBackWhole(_ index: Int, at now: Timestamp) -> LeaseReturn {
    leases.drawn.remove(index)
    let key = accountKey(of: index)
    openLease(on: index, at: now)
    return LeaseReturn(of: .account(key), amount: .everything)
  }

  private mutating func giveBackFree(of index: Int) -> LeaseReturn? {
    guard let lease = accounts[index].lease else { return nil }
    let free = budgets[accounts[index].budget].limits.limited(
      Spend(
        tokens: max(0, accounts[index].freeLease(lease, in: .tokens)),
        nanoUnits: max(0, accounts[index].freeLease(lease, in: .cost))))
    guard free != .zero else { return nil }
    // The lease in the other unit may be negative.
    accounts[index].lease?.amount.subtractSaturating(free)
    return LeaseReturn(of: .account(accountKey(of: index)), amount: .part(free))
  }

  /// Takes the ended leases, except those whose account or credit has leased again: these end with
  /// the new lease.
  private mutating func takeEndedLeases() -> [LeaseReturn] {
    let ended = leases.ended
    leases.ended = []
    return ended.compactMap { source in
      isDrawn(source) ? nil : LeaseReturn(of: source, amount: .everything)
    }
  }

  private func isDrawn(_ source: LeaseSource) -> Bool {
    switch source {
    case .account(let key): knownAccount(key).map(leases.drawn.contains) ?? false
    case .credit(let key): leases.drawnCredits.contains(key)
    }
  }
}
