internal import Budgets

/// The part of limits that a replica may use while the ledger can't be asked, even if other
/// replicas declare it dead meanwhile.
///
/// Other replicas give a dead replica's leases back, and can't distinguish a dead replica from a
/// disconnected one. The use of a disconnected replica's lease would therefore be granted twice.
/// For that reason, a replica draws a small reserve beside each large slice, which other replicas
/// never give back. If an intent can't be committed, the request is admitted as long as the reserve
/// pays for all that it may use. The reserve then pays for the request's row when it is written
/// later.
///
/// The reserve belongs to a spool instead of a replica, because it passes on with the spool's
/// entries.
final class OfflineReserve {
  private let store: LeaseStore
  private let replicas: ReplicaStore
  /// The rows of the accounts with a reserve. They can't be looked up when the reserve is needed.
  private var sources: [BudgetAccountKey: Int64] = [:]
  private var accounts: [Int64: BudgetAccountKey] = [:]
  /// The requests that use the reserve, with the amount that each may still use.
  private var holds: [RequestID: [BudgetAccountKey: Spend]] = [:]
  /// The sums of `holds`.
  private var held: [BudgetAccountKey: Spend] = [:]
  /// The current transaction's changes: accounts with a new reserve, accounts whose whole reserve
  /// was given back, and requests that end.
  private var drawn: [Int64: BudgetAccountKey] = [:]
  private var left: Set<Int64> = []
  private var ended: [RequestID] = []

  /// A slice is large if it covers the wanted amount this many times.
  static let largeSlice: Int64 = 16
  /// Returns the reserve for a slice: a quarter, but no more than with three replicas, because
  /// fewer replicas draw larger slices.
  static func part(of slice: Int64, replicas: Int64) -> Int64 { slice / max(4, 12 / replicas) }

  init(
    _ connection: DatabaseConnection, of spool: SpoolID, _ replicas: ReplicaStore
  ) throws(LedgerError) {
    self.replicas = replicas
    store = try LeaseStore(connection, .reserves, of: spool.text, replicas)
  }

  /// Continues with the reserve of another server's spool.
  func become(_ spool: SpoolID) {
    store.become(spool.text)
    sources = [:]
    accounts = [:]
    holds = [:]
    held = [:]
    forgetTransaction()
  }

  /// Whether an account had a reserve when the ledger was last read.
  func hasAny(of source: Int64) -> Bool { store.certain(source) != .zero }

  // MARK: While the ledger can't be asked

  /// Admits a request if enough reserve is left for all that it may use.
  func admit(_ request: SettledRequest) -> Bool {
    let needs = OfflineReserve.needs(of: request)
    // `on_failure` decides on a request that needs no lease.
    guard !needs.isEmpty, needs.allSatisfy({ pays($0.value, of: $0.key) }) else { return false }
    hold(needs, for: request.row.requestID)
    return true
  }

  /// Ends the use of the reserve by a request that hasn't begun.
  func withdraw(_ requestID: RequestID) {
    for (account, amount) in holds.removeValue(forKey: requestID) ?? [:] {
      free(amount, of: account)
    }
  }

  /// Reduces a request's hold on the reserve to its actual use. The reserve pays when the row is
  /// written.
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

  /// Call it first in each transaction.
  func begin() throws(LedgerError) { try store.begin() }

  /// Sets the reserve to a part of the slice that the replica has just drawn, which may reduce it.
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

  /// Gives back the part that no request uses, except `rest`. Returns whether there was any.
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

  /// Gives back the whole reserve, when no request can use it any more.
  func giveBackEverything() throws(LedgerError) {
    for source in store.sources { try store.giveBack(.everything, source: source) }
  }

  /// Notes a request that was admitted on the reserve, perhaps by another process, and is being
  /// written.
  func open(_ request: SettledRequest) {
    // The hold may already exist, after a transaction that failed and is repeated.
    guard holds[request.row.requestID] == nil else { return }
    hold(OfflineReserve.needs(of: request), for: request.row.requestID)
  }

  /// Ends a request in this transaction.
  ///
  /// - Returns: The request's charges, with the parts that the reserve pays instead of the lease.
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

  /// Ends a request in this transaction without a row.
  func discard(_ requestID: RequestID) {
    if holds[requestID] != nil { ended.append(requestID) }
  }

  /// Pays a settlement from the reserve, and returns the part that the reserve covered.
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
  /// Whether the limit has enough left to set a part aside: the slice in this answer is at least
  /// `largeSlice` times the amount that the request wants.
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
