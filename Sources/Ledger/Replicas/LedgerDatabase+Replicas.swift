internal import Budgets
internal import Pricing

// Operations on behalf of other replicas, and reactions to their operations on this one.

extension LedgerDatabase {
  // MARK: Leases

  /// Draws leases, asks for permits and gives leases back, all in one transaction. Returns the
  /// outcomes in the order of the orders.
  func lease(_ orders: [LeaseOrder]) throws(LedgerError) -> [LeaseOutcome] {
    guard let shared else { return orders.map { _ in LeaseOutcome() } }
    return try transaction { () throws(LedgerError) in
      var answers = orders.map { [LeaseAnswer?](repeating: nil, count: $0.draws.count) }
      for step in try steps(of: orders) {
        switch step.work {
        case .giveBack(let amount): try giveBack(amount, step.source, shared)
        case .draw(let request, let order, let place):
          let answer = try draw(request, step.source, shared)
          answers[order][place] = answer
          if answer.added == .zero, answer.standing.leasedToOthers != .zero {
            try shared.want(step.source)
          }
        }
      }
      let permitted = try permit(orders, shared.conversations)
      return zip(answers, permitted).map {
        LeaseOutcome(leases: $0.compactMap(\.self), conversations: $1)
      }
    }
  }

  /// Gives a lease back. The offline reserve goes with a whole lease.
  private func giveBack(
    _ amount: LeaseReturn.Amount, _ id: LeaseSourceID, _ shared: ReplicaStores
  ) throws(LedgerError) {
    let (leases, source) = shared.leases(of: id)
    try leases.giveBack(amount, source: source)
    if case .everything = amount, case .account = id {
      try shared.reserve?.giveBack(source: source)
    }
  }

  /// Draws a slice. If much is left, a part of the slice goes to the offline reserve. Near the
  /// limit, the reserve is given back instead.
  private func draw(
    _ request: LeaseRequest, _ id: LeaseSourceID, _ shared: ReplicaStores
  ) throws(LedgerError) -> LeaseAnswer {
    let (leases, source) = shared.leases(of: id)
    let answer = try leases.draw(request, source: source)
    guard let reserve = shared.reserve, case .account = id else { return answer }
    if answer.isLarge(for: request) {
      try reserve.adjust(to: answer.added, for: request, source: source)
      return answer
    }
    let hasGivenBack = try reserve.giveBack(source: source)
    return hasGivenBack && answer.added == .zero
      ? try leases.draw(request, source: source) : answer
  }

  /// Gives back this replica's offline reserve of an account for which other replicas wait.
  func giveBackReserve(of source: LeaseSourceID) throws(LedgerError) {
    guard let reserve = shared?.reserve, case .account(let account) = source,
      reserve.hasAny(of: account)
    else { return }
    try transaction { () throws(LedgerError) in _ = try reserve.giveBack(source: account) }
  }

  // MARK: The offline reserve

  /// Whether a request can be admitted although its intent can't be committed.
  func admitOffline(_ interrupted: SettledRequest) -> Bool {
    shared?.reserve?.admit(interrupted) == true
  }

  /// Adjusts the reserve to an entry that waits in a spool.
  func didSpool(_ entry: Entry) {
    switch entry {
    case .settle(let settlement): shared?.reserve?.shrink(to: settlement)
    case .discard(let requestID): shared?.reserve?.withdraw(requestID)
    case .open, .openOffline, .deferral, .settleDeferred, .objects, .objectEnd: break
    }
  }

  /// Writes the entries that an earlier run of a server left in a spool, and ends that run.
  ///
  /// - Returns: The number of requests that were settled with their estimates.
  func inherit(_ spool: Spool) throws(LedgerError) -> Int {
    let ended = try (spool.address?.id).map(endLives) ?? []
    try spool.drain { lines throws(LedgerError) in try replay(lines) }
    var recovered = try endInherited()
    for requestID in ended where try usageLogs.isInterrupted(requestID) { recovered += 1 }
    return recovered
  }

  /// Ends the earlier runs of a spool's server. The holder of the spool's lock knows that they are
  /// over, even if their last heartbeat is recent.
  ///
  /// - Returns: The requests that were settled with their estimates. The spool may have better
  ///   figures.
  func endLives(of spool: SpoolID) throws(LedgerError) -> [RequestID] {
    guard let shared else { return [] }
    shared.reserve?.become(spool)
    return try transaction { () throws(LedgerError) in
      var ended: [RequestID] = []
      for former in try shared.replicas.removeOthers(than: shared.replica, of: spool) {
        ended += try settleIntents(of: former)
        try shared.endLeases(of: former)
      }
      return ended
    }
  }

  /// Settles the open intents, and gives back the amounts that were drawn for them.
  func endInherited() throws(LedgerError) -> Int {
    let recovered = try recover(intentsOf: shared?.membership.id)
    if let reserve = shared?.reserve {
      try transaction { () throws(LedgerError) in try reserve.giveBackEverything() }
    }
    return recovered
  }

  /// Gives permits back first, so that the same transaction can grant them again.
  private func permit(
    _ orders: [LeaseOrder], _ conversations: ConversationPermitStore
  ) throws(LedgerError) -> [[ConversationAnswer]] {
    for back in orders.lazy.flatMap(\.conversationReturns) { try conversations.giveBack(back) }
    var answers = try conversations.answer(orders.flatMap(\.conversations))[...]
    return orders.map { order in
      defer { answers.removeFirst(order.conversations.count) }
      return Array(answers.prefix(order.conversations.count))
    }
  }

  private struct LeaseStep {
    enum Work {
      case giveBack(LeaseReturn.Amount)
      case draw(LeaseRequest, order: Int, place: Int)

      var isDraw: Bool { if case .draw = self { true } else { false } }
    }

    let source: LeaseSourceID
    let work: Work
  }

  /// Returns the steps, sorted by source as on every server, to avoid deadlocks. Returns come
  /// before draws, so that their amounts can be drawn at once.
  private func steps(of orders: [LeaseOrder]) throws(LedgerError) -> [LeaseStep] {
    var steps: [LeaseStep] = []
    for (index, order) in orders.enumerated() {
      for given in order.returns {
        steps.append(LeaseStep(source: try id(of: given.source), work: .giveBack(given.amount)))
      }
      for (place, request) in order.draws.enumerated() {
        steps.append(
          LeaseStep(
            source: try id(of: request.source), work: .draw(request, order: index, place: place)))
      }
    }
    return steps.sorted {
      $0.source != $1.source ? $0.source < $1.source : !$0.work.isDraw && $1.work.isDraw
    }
  }

  private func id(of source: LeaseSource) throws(LedgerError) -> LeaseSourceID {
    switch source {
    case .account(let key): .account(try budgetAccounts.id(of: BudgetAccountKey(key)))
    case .credit(let key): .credit(key.id)
    }
  }

  // MARK: The dead

  /// Ends the work of a silent replica, unless the replica was heard again or another replica was
  /// faster.
  ///
  /// - Returns: The deferred requests that this replica follows from now on.
  func takeOver(_ dead: ReplicaID) throws(LedgerError) -> [DeferredRequest] {
    guard let shared else { return [] }
    return try transaction { () throws(LedgerError) in
      guard try shared.replicas.remove(dead, silentFor: Heartbeat.silenceOfTheDead) else {
        return []
      }
      return try endGone(shared)
    }
  }

  /// Ends the work of replicas that are gone.
  func adoptOrphans() throws(LedgerError) -> [DeferredRequest] {
    guard let shared, try !shared.gone().isEmpty else { return [] }
    return try transaction { () throws(LedgerError) in try endGone(shared) }
  }

  private func endGone(_ shared: ReplicaStores) throws(LedgerError) -> [DeferredRequest] {
    var inherited: [DeferredRequest] = []
    for gone in try shared.gone() {
      _ = try settleIntents(of: gone)
      try shared.endLeases(of: gone)
      inherited += try deferredRequests.inherit(from: gone)
    }
    return inherited
  }

  /// Joins again under another ID, after other replicas have ended this replica's requests in
  /// flight.
  func rejoin() throws(LedgerError) {
    guard let shared else { return }
    try shared.rejoin()
    inFlight.become(shared.replica)
    deferredRequests.become(shared.replica)
  }

  /// Leaves the other replicas, with nothing in flight and nothing leased.
  func leave() throws(LedgerError) {
    guard let shared else { return }
    try transaction { () throws(LedgerError) in
      try shared.endLeases(of: shared.replica)
      try shared.reserve?.giveBackEverything()
      try shared.leave()
    }
  }

  // MARK: Rows of this replica that others wrote

  /// Removes the `interrupted` row of a request, so that `row` can replace it. Another replica that
  /// declared this one dead wrote the former row, with the largest possible use.
  ///
  /// - Returns: Whether the removed row began a conversation; nil if there was no such row.
  func replaceInterrupted(by row: UsageRow) throws(LedgerError) -> Bool? {
    guard shared != nil, row.outcome != .interrupted else { return nil }
    return try removeInterrupted(row.requestID)
  }

  /// Removes the row of an interrupted request from the table and from all sums.
  func removeInterrupted(_ requestID: RequestID) throws(LedgerError) -> Bool? {
    guard let shared, let former = try usageLogs.takeInterrupted(requestID) else { return nil }
    let row = former.row
    try shared.conversations.unbegin(row)
    tokenUsage.add(row, beginsConversation: former.beginsConversation, .removed)
    rollups.add(row, beginsConversation: former.beginsConversation, .removed)
    totals.remove(row)
    try biller.discount(row)
    let paidByCredits = try creditDraws.undraw(by: requestID)
    for text in former.budgetAccounts.split(separator: ",") {
      guard let charge = RecordedCharge(text),
        let key = try budgetAccounts.key(of: charge.account)
      else { throw .unreadable(record: "budget_accounts of \(requestID)") }
      let (tokens, costNano) = charge.figures(of: row, in: key.currency)
      budgetAccounts.remove(
        tokens: tokens, costNano: costNano,
        paidByCredits: key.budgetID.isPlan ? paidByCredits : 0, from: charge.account)
    }
    return former.beginsConversation
  }
}
