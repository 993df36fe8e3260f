internal import Money

// The conditions that hold between any two commands.

extension BudgetState {
  /// Returns a message for every broken invariant; empty unless there is a defect.
  public func checkInvariants() -> [String] {
    let used = accounts.indices
    return checkHolds(used) + checkLimits(used) + checkQueues(used) + checkIndex(used)
      + checkLeases(used) + checkCredits() + checkCreditLeases() + checkPermits()
  }

  /// In debug builds, stops at the first defect. Skips states with more than 64 accounts, because
  /// the check takes time in proportion to their number.
  func assertInvariants() {
    assert(
      accounts.count > BudgetState.largestAssertedCount || checkInvariants().isEmpty,
      checkInvariants().joined(separator: "\n"))
  }

  private static let largestAssertedCount = 64

  /// The held amount is the sum of the live holds.
  private func checkHolds(_ used: [Int]) -> [String] {
    var held: [Int: Spend] = [:]
    var live: [Int: Int] = [:]
    for portion in holds.indices.lazy.flatMap({ holds[$0].portions }) {
      live[portion.account, default: 0] += 1
      guard accounts[portion.account].epoch == portion.epoch else { continue }
      held[portion.account, default: .zero].addSaturating(portion.held)
    }
    return used.flatMap { index -> [String] in
      let account = accounts[index]
      var wrong: [String] = []
      if account.held != held[index, default: .zero] {
        wrong.append("account \(index) holds \(account.held), its holds \(held[index] ?? .zero)")
      }
      if account.liveHolds != live[index, default: 0] {
        wrong.append("account \(index) counts \(account.liveHolds) holds, not \(live[index] ?? 0)")
      }
      if account.settled.tokens < 0 || account.settled.nanoUnits < 0 {
        wrong.append("account \(index) has settled less than nothing")
      }
      return wrong
    }
  }

  /// A hard account is within its limit, unless something that no admission prevents exceeded it.
  private func checkLimits(_ used: [Int]) -> [String] {
    used.compactMap { index in
      let account = accounts[index]
      let budget = budgets[account.budget]
      guard budget.definition.enforcement == .hard, !account.isRetired, !account.mayExceedLimit,
        !budget.limitMayHaveShrunk
      else { return nil }
      let exceeds = LimitUnit.allCases.contains { unit in
        guard let limit = budget.limits[unit] else { return false }
        let raised = limit.addingSaturating(account.raise?.amount[unit] ?? 0)
        let credits =
          unit == .tokens ? account.paidByCredits.addingSaturating(account.heldOnCredits) : 0
        return account.remainder(of: raised.addingSaturating(credits), in: unit) < 0
      }
      return exceeds ? "account \(index) lies above its limit: \(account)" : nil
    }
  }

  /// Holds don't exceed leases, unless something that no admission prevents exceeded them. Every
  /// lease will be given back.
  private func checkLeases(_ used: [Int]) -> [String] {
    let inUse = used.filter { !accounts[$0].isRetired }
    var wrong = inUse.compactMap { index -> String? in
      let account = accounts[index]
      let budget = budgets[account.budget]
      let isShared = policy.sharesLimits && budget.definition.enforcement == .hard
      guard let lease = account.lease else {
        return isShared ? "account \(index) has no lease" : nil
      }
      if !isShared { return "account \(index) has a lease of a limit that isn't shared" }
      if lease.amount != .zero, !leases.drawn.contains(index) {
        return "the lease of account \(index) won't be given back"
      }
      if lease.mayBeExceeded || account.heldBeyondLease(of: budget.limits) == .zero { return nil }
      return "account \(index) holds more than it has leased: \(account)"
    }
    if !leases.drawn.isSubset(of: inUse) { wrong.append("a drawn lease has no account") }
    for index in leases.former.keys where accounts[index].liveHolds == 0 {
      wrong.append("a former lease of account \(index) has no hold")
    }
    return wrong
  }

  /// The amount held on credits is the sum of the live holds, and no credit has paid more than was
  /// granted.
  private func checkCredits() -> [String] {
    var held: [Int64: Int64] = [:]
    var heldTokens: [Int: Int64] = [:]
    for request in holds.indices.lazy.map({ holds[$0] }) {
      guard let credit = request.credit else { continue }
      for draw in credit.draws { held[draw.credit, default: 0] += draw.amount }
      for portion in request.portions
      where budgets[accounts[portion.account].budget].isPlan
        && accounts[portion.account].epoch == portion.epoch
      {
        heldTokens[portion.account, default: 0] += credit.tokens
      }
    }
    let wrong = accounts.indices.filter {
      accounts[$0].heldOnCredits != heldTokens[$0, default: 0]
    }
    return wrong.map { "account \($0) has other holds on credits than its requests" }
      + purses.values.flatMap { $0.checkInvariants(held: held) }
  }

  /// Every waiting request is in exactly one queue, in the order of arrival.
  private func checkQueues(_ used: [Int]) -> [String] {
    var wrong: [String] = []
    var queued = 0
    for (index, queue) in queues {
      queued += queue.entries.count
      if queue.first == nil { wrong.append("account \(index) has an empty queue") }
      let arrivals = queue.entries.map(\.arrival)
      if zip(arrivals, arrivals.dropFirst()).contains(where: >=) {
        wrong.append("the queue of account \(index) is out of order")
      }
      for entry in queue.entries {
        if !waiters.contains(entry.ticket.handle) {
          wrong.append("the queue of account \(index) has a ticket without a request")
        } else if waiters[entry.ticket.handle.index].account != index {
          wrong.append("a request in the queue of account \(index) waits for another")
        }
      }
    }
    if queued != waiters.count { wrong.append("\(waiters.count) wait, \(queued) in queues") }
    for index in used where accounts[index].isQueued != (queues[index] != nil) {
      wrong.append("account \(index) doesn't know whether it is queued")
    }
    if !reopenedQueues.isEmpty { wrong.append("a queue was not served") }
    return wrong + checkHeads()
  }

  /// The head of a queue really lacks room there.
  private func checkHeads() -> [String] {
    queues.compactMap { index, queue in
      guard let head = queue.first, waiters.contains(head.ticket.handle) else { return nil }
      let demand = waiters[head.ticket.handle.index].demand
      // The parts of names that share the account are known at admission only.
      guard demand.parts == nil else { return nil }
      let account = accounts[index]
      let budget = budgets[account.budget]
      let rate = demand.rates.rate(of: budget.currency) ?? budget.rate
      let need = demand.bound(output: demand.leastOutput).spend(in: budget.currency, at: rate)
      let lacksRoom = LimitUnit.allCases.contains { unit in
        // An ended raise may have made the room smaller since.
        guard let limit = budget.limits[unit] else { return false }
        let lacksLease = account.lease.map { need[unit] > account.freeLease($0, in: unit) }
        return !account.fits(need[unit], in: unit, of: limit) || lacksLease ?? false
      }
      return lacksRoom ? nil : "the first in the queue of account \(index) could go"
    }
  }

  /// Every account in use can be found by its subject.
  private func checkIndex(_ used: [Int]) -> [String] {
    let found = budgetByID.values.reduce(0) { $0 + budgets[$1].accounts.count }
    let inUse = used.filter { !accounts[$0].isRetired }
    var wrong = inUse.filter {
      budgets[accounts[$0].budget].accounts[accounts[$0].subject] != $0
    }.map { "account \($0) can't be found" }
    if found != inUse.count { wrong.append("\(found) subjects for \(inUse.count) accounts") }
    return wrong + checkRemovedBudgets()
  }

  /// Kept use of budgets that aren't in force can be found, and counts in no budget in force.
  private func checkRemovedBudgets() -> [String] {
    removedBudgets.flatMap { key, index -> [String] in
      var wrong: [String] = []
      if budgets[index].accounts.isEmpty { wrong.append("nothing is kept of \(key.budget)") }
      if budgets[index].accounts.values.contains(where: { !accounts[$0].isRetired }) {
        wrong.append("use of \(key.budget) is kept and in force")
      }
      if let current = budgetByID[key.budget], current == index {
        wrong.append("\(key.budget) is removed and in force")
      }
      return wrong
    }
  }
}
