public import Time

// How leases end. A replica stops using what it gives back before it says so.

extension BudgetState {
  /// Gives back in whole what nothing is held of: leases of windows that have ended, and those of
  /// accounts and credits that have taken no hold for so long and on which nobody waits.
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

  /// Gives back what is free of some accounts and credits, for which others wait.
  ///
  /// Also where requests of this replica wait: else each of two would keep what the other lacks.
  public mutating func giveBackFree(of sources: [LeaseSource]) -> [LeaseReturn] {
    defer { assertInvariants() }
    return sources.compactMap { source in
      switch source {
      case .account(let key): knownAccount(key).flatMap { giveBackFree(of: $0) }
      case .credit(let key): giveBackFree(of: key)
      }
    }
  }

  /// Gives back all that isn't held, when the replica ends.
  public mutating func giveBackEverything(at now: Timestamp) -> [LeaseReturn] {
    defer { assertInvariants() }
    return takeEndedLeases()
      + leases.drawn.sorted().compactMap { index in
        accounts[index].liveHolds == 0 ? giveBackWhole(index, at: now) : giveBackFree(of: index)
      } + giveBackAllCredits(at: now)
  }

  /// Notes that what was given back may not have reached the ledger: it is given back again when
  /// the account or the credit is idle.
  public mutating func notGivenBack(_ returns: [LeaseReturn]) {
    defer { assertInvariants() }
    for lost in returns { noteUnused(lost.source) }
  }

  /// Uses no lease any more: the replica couldn't show that it lives, and others may have taken
  /// them. Holds live on, above the leases, until what is leased next has made up for them.
  public mutating func voidLeases(at now: Timestamp) {
    defer { assertInvariants() }
    leases.epoch &+= 1
    for index in leases.drawn.sorted() { openLease(on: index, at: now) }
    for key in sortedDrawnCredits() { openLease(of: key, at: now) }
    permits.void()
  }

  /// How often the leases were void: what was granted in an earlier epoch stands on none of now.
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
    // What is leased in the other unit may be below zero.
    accounts[index].lease?.amount.subtractSaturating(free)
    return LeaseReturn(of: .account(accountKey(of: index)), amount: .part(free))
  }

  /// Those whose account or credit has leased anew since are left to that lease's end.
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
