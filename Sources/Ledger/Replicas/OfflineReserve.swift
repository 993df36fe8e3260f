internal import Budgets

/// What a replica may use of limits while the ledger can't be asked, even if others take it for
/// dead meanwhile.
///
/// Others give the leases of the dead back, and can't tell the dead from the cut off: what a
/// replica that is cut off used of its leases, others would use too. So it draws a little beside
/// each large slice that others leave alone, however silent it is. Requests whose intents can't be
/// committed are let in as long as it pays for all that they may use, and it pays for their rows
/// when these are written at last.
///
/// It belongs to a spool rather than to a life of a replica, since it goes on with whoever writes
/// what the spool holds.
final class OfflineReserve {
  private let store: LeaseStore
  private let replicas: ReplicaStore
  /// The rows of the accounts that something was drawn of, which can't be asked for when it is
  /// needed.
  private var sources: [BudgetAccountKey: Int64] = [:]
  private var accounts: [Int64: BudgetAccountKey] = [:]
  /// The requests that stand on it, and what each may still use.
  private var holds: [RequestID: [BudgetAccountKey: Spend]] = [:]
  /// The sums of `holds`.
  private var held: [BudgetAccountKey: Spend] = [:]
  /// Of the transaction under way: accounts that something was drawn of, those that all was given
  /// back of, and requests that end.
  private var drawn: [Int64: BudgetAccountKey] = [:]
  private var left: Set<Int64> = []
  private var ended: [RequestID] = []

  /// A slice is large if it would do for so many times what is wanted of it.
  static let largeSlice: Int64 = 16
  /// What is drawn beside a slice: a quarter, and no more than it would be among three, since a
  /// slice is the larger the fewer replicas there are.
  static func part(of slice: Int64, replicas: Int64) -> Int64 { slice / max(4, 12 / replicas) }

  init(
    _ connection: DatabaseConnection, of spool: SpoolID, _ replicas: ReplicaStore
  ) throws(LedgerError) {
    self.replicas = replicas
    store = try LeaseStore(connection, .reserves, of: spool.text, replicas)
  }

  /// Goes on with what another server has left with its spool.
  func become(_ spool: SpoolID) {
    store.become(spool.text)
    sources = [:]
    accounts = [:]
    holds = [:]
    held = [:]
    forgetTransaction()
  }

  /// Whether there was any of an account when the ledger was last asked.
  func hasAny(of source: Int64) -> Bool { store.certain(source) != .zero }

  // MARK: While the ledger can't be asked

  /// Lets a request in if there is enough left for all that it may use.
  func admit(_ request: SettledRequest) -> Bool {
    let needs = OfflineReserve.needs(of: request)
    // One that needs no lease is `on_failure`'s to decide.
    guard !needs.isEmpty, needs.allSatisfy({ pays($0.value, of: $0.key) }) else { return false }
    hold(needs, for: request.row.requestID)
    return true
  }

  /// The request hasn't begun after all.
  func withdraw(_ requestID: RequestID) {
    for (account, amount) in holds.removeValue(forKey: requestID) ?? [:] {
      free(amount, of: account)
    }
  }

  /// Needs no more of it than the request has used; it is paid when its row is written.
  func shrink(to settlement: SettledRequest) {
    let requestID = settlement.row.requestID
    for charge in settlement.charges {
      guard let before = holds[requestID]?[charge.account] else { continue }
      let used = before.least(Spend(tokens: charge.tokens, nanoUnits: charge.costNano))
      holds[requestID]?[charge.account] = used
      free(before.excess(over: used), of: charge.account)
    }
  }

  private static func needs(of request: SettledRequest) -> [BudgetAccountKey: Spend] {
    var needs: [BudgetAccountKey: Spend] = [:]
    for charge in request.charges where charge.heldOfLease != .zero {
      needs[charge.account] = charge.heldOfLease
    }
    return needs
  }

  private func pays(_ need: Spend, of account: BudgetAccountKey) -> Bool {
    guard let source = sources[account] else { return false }
    let left = store.certain(source).excess(over: held[account] ?? .zero)
    return need.excess(over: left) == .zero
  }

  private func hold(_ needs: [BudgetAccountKey: Spend], for requestID: RequestID) {
    holds[requestID] = needs
    for (account, amount) in needs { held[account] = (held[account] ?? .zero).adding(amount) }
  }

  private func free(_ amount: Spend, of account: BudgetAccountKey) {
    let rest = (held[account] ?? .zero).excess(over: amount)
    held[account] = rest == .zero ? nil : rest
  }

  // MARK: Within a transaction

  /// Comes first.
  func begin() throws(LedgerError) { try store.begin() }

  /// Makes it a part of what a replica has just drawn for itself, which may be less than it was.
  func adjust(
    to slice: Spend, for request: LeaseRequest, source: Int64
  ) throws(LedgerError) {
    guard let account = request.source.account else { return }
    let replicas = try replicas.replicaCount()
    let part = Spend(
      tokens: OfflineReserve.part(of: slice.tokens, replicas: replicas),
      nanoUnits: OfflineReserve.part(of: slice.nanoUnits, replicas: replicas))
    drawn[source] = BudgetAccountKey(account)
    try giveBack(source: source, keeping: part)
    try store.raise(to: part, source: source, within: request.limits)
  }

  /// Gives back what no request stands on, but for `rest`; whether there was any.
  @discardableResult
  func giveBack(source: Int64, keeping rest: Spend = .zero) throws(LedgerError) -> Bool {
    let lease = store.current(source)
    let needed = accounts[source].flatMap { held[$0] } ?? .zero
    let free = lease.excess(over: needed).least(lease.excess(over: rest))
    guard free != .zero else { return false }
    try store.giveBack(.part(free), source: source)
    if free == lease { left.insert(source) }
    return true
  }

  /// Gives all of it back, when no request can stand on it any more.
  func giveBackEverything() throws(LedgerError) {
    for source in store.sources { try store.giveBack(.everything, source: source) }
  }

  /// A request that was let in on it is being written, perhaps by another process.
  func open(_ request: SettledRequest) {
    // Also after a transaction that failed: it is tried again.
    guard holds[request.row.requestID] == nil else { return }
    hold(OfflineReserve.needs(of: request), for: request.row.requestID)
  }

  /// The request ends in this transaction.
  ///
  /// - Returns: Its charges, and what the reserve pays of them in place of the lease.
  func end(_ settlement: SettledRequest) -> [BudgetCharge] {
    guard let amounts = holds[settlement.row.requestID] else { return settlement.charges }
    ended.append(settlement.row.requestID)
    return settlement.charges.map { charge in
      guard let amount = amounts[charge.account] else { return charge }
      var paid = charge
      paid.takenOffLease = .zero
      paid.takenOffReserve = amount.least(
        Spend(tokens: charge.tokens, nanoUnits: charge.costNano))
      return paid
    }
  }

  /// The request ends in this transaction, without a row.
  func discard(_ requestID: RequestID) {
    if holds[requestID] != nil { ended.append(requestID) }
  }

  /// What the reserve pays of a settlement: as much as there is.
  func pay(_ used: Spend, source: Int64) throws(LedgerError) -> Spend {
    try store.pay(used, source: source)
  }

  // MARK: After it

  func didCommit() {
    store.didCommit()
    for requestID in ended { withdraw(requestID) }
    for source in left {
      if let account = accounts.removeValue(forKey: source) { sources[account] = nil }
    }
    for (source, account) in drawn {
      sources[account] = source
      accounts[source] = account
    }
    forgetTransaction()
  }

  func didRollBack(isUncertain: Bool) {
    store.didRollBack(isUncertain: isUncertain)
    forgetTransaction()
  }

  private func forgetTransaction() {
    drawn.removeAll(keepingCapacity: true)
    left.removeAll(keepingCapacity: true)
    ended.removeAll(keepingCapacity: true)
  }
}

extension LeaseAnswer {
  /// Whether so much is left that a part of it can be set aside for a long time.
  func isLarge(for request: LeaseRequest) -> Bool {
    guard added != .zero else { return false }
    return [
      (request.limits.tokens, added.tokens, request.wanted.tokens),
      (request.limits.nanoUnits, added.nanoUnits, request.wanted.nanoUnits),
    ].allSatisfy { limit, added, wanted in
      limit == nil || added > 0 && added / OfflineReserve.largeSlice >= wanted
    }
  }
}
