internal import Budgets

/// Stores the leases of one owner in the shared database, in one of the tables of leases.
///
/// A lease is the part of a limit (or of a credit) that one replica may use without asking the
/// others. For each limit, the database guarantees: settled + leased ≤ limit. `LeaseStore` keeps
/// that guarantee by adding every slice with a single `UPDATE … WHERE`.
///
/// Only the owner's writer changes its leases. `LeaseStore` therefore caches the committed amounts
/// instead of reading them before each use.
final class LeaseStore {
  /// The owner of the leases: a replica or a spool. It changes when other replicas declared this
  /// replica dead and it joins again.
  private(set) var owner: String
  private let replicas: ReplicaStore
  private let read: Statement
  private let reserve: Statement
  private let release: Statement
  private let add: Statement
  private let take: Statement
  private let remove: Statement
  private let select: Statement
  private let removeAll: Statement
  /// Committed amounts, by the ID of the limit's or credit's row.
  private var mine: [Int64: Spend] = [:]
  /// Changes of the current transaction, by the same ID; negative if the lease shrinks.
  private var changes: [Int64: Spend] = [:]
  /// Whether `mine` is the committed state. False after a commit of unknown outcome; `begin` then
  /// reads it again.
  private var isKnown = false

  /// The most attempts to draw a slice when other replicas take the room first.
  private static let mostTries = 3

  init(
    _ connection: DatabaseConnection, _ kind: LeaseKind, of owner: String, _ replicas: ReplicaStore
  ) throws(LedgerError) {
    self.owner = owner
    self.replicas = replicas
    read = try connection.prepare(kind.readSource)
    reserve = try connection.prepare(kind.reserveSlice)
    release = try connection.prepare(kind.releaseAmount)
    add = try connection.prepare(kind.addToLease)
    take = try connection.prepare(kind.takeFromLease)
    remove = try connection.prepare(kind.removeLease)
    select = try connection.prepare(kind.selectLeases)
    removeAll = try connection.prepare(kind.removeLeases)
  }

  /// Continues as another owner, which may already have leases.
  func become(_ owner: String) {
    self.owner = owner
    mine = [:]
    changes = [:]
    isKnown = false
  }

  // MARK: Within a transaction

  /// Reads the committed amounts if a failure made them uncertain. Call it first in each
  /// transaction.
  func begin() throws(LedgerError) {
    guard !isKnown else { return }
    var found: [Int64: Spend] = [:]
    select.bind(owner, at: 1)
    try select.forEachRow { () throws(LedgerError) in
      found[select.integer(0) ?? 0] = LeaseStore.amount(in: select)
    }
    mine = found
    isKnown = true
  }

  /// Draws a slice. Nothing is added if too little is left.
  ///
  /// - Parameter source: The ID of the request's source.
  func draw(_ request: LeaseRequest, source: Int64) throws(LedgerError) -> LeaseAnswer {
    let replicaCount = try replicas.replicaCount()
    var added = Spend.zero
    var standing = try self.standing(of: source)
    for _ in 0..<LeaseStore.mostTries {
      guard let slice = standing.slice(for: request, replicas: replicaCount), slice != .zero
      else { break }
      if try reserve(slice, of: source, within: request.limits) {
        added = slice
        try note(slice, on: source)
        standing.leased = standing.leased.adding(slice)
        break
      }
      standing = try self.standing(of: source)
    }
    return LeaseAnswer(
      to: request, added: added, standing: shared(standing, of: request.source, source))
  }

  /// Gives back a part of a lease that the replica no longer uses.
  func giveBack(_ amount: LeaseReturn.Amount, source: Int64) throws(LedgerError) {
    let lease = current(source)
    let returned =
      switch amount {
      case .everything: lease
      case .part(let part): lease.least(part)
      }
    guard returned != .zero else { return }
    try takeOff(returned, source)
    try releaseFromSource(returned, source)
  }

  /// Pays a settlement from the lease, and returns the part that the lease covered.
  ///
  /// The caller subtracts that part from the source's `leased_…` columns in the statement that adds
  /// the use.
  func pay(_ used: Spend, source: Int64) throws(LedgerError) -> Spend {
    let paid = current(source).least(used)
    if paid != .zero { try takeOff(paid, source) }
    return paid
  }

  /// Raises the lease to `amount`, unless too little is left.
  func raise(to amount: Spend, source: Int64, within limits: LimitsInForce) throws(LedgerError) {
    let missing = amount.excess(over: current(source))
    guard missing != .zero, try reserve(missing, of: source, within: limits) else { return }
    try note(missing, on: source)
  }

  /// Ends all leases of an owner that is gone. Returns their number.
  @discardableResult
  func end(of gone: String) throws(LedgerError) -> Int {
    var ended: [(source: Int64, amount: Spend)] = []
    // Only the session that deletes the leases gives them back.
    removeAll.bind(gone, at: 1)
    try removeAll.forEachRow { () throws(LedgerError) in
      ended.append((removeAll.integer(0) ?? 0, LeaseStore.amount(in: removeAll)))
    }
    for lease in ended.sorted(by: { $0.source < $1.source }) {
      try releaseFromSource(lease.amount, lease.source)
    }
    return ended.count
  }

  // MARK: After it

  func didCommit() {
    for (source, change) in changes {
      let amount = (mine[source] ?? .zero).adding(change)
      mine[source] = amount == .zero ? nil : amount
    }
    changes.removeAll(keepingCapacity: true)
  }

  /// - Parameter isUncertain: Whether the transaction may have been committed nevertheless. The
  ///   leases are then assumed at the smaller amount of both outcomes.
  func didRollBack(isUncertain: Bool) {
    if isUncertain {
      for (source, change) in changes {
        mine[source] = mine[source]?.adding(change.least(.zero))
      }
    }
    changes.removeAll()
    isKnown = false
  }

  // MARK: Amounts

  /// Returns the leased amount that is certain, even while the ledger can't be asked.
  func certain(_ source: Int64) -> Spend { mine[source] ?? .zero }

  /// The sources with committed leases, in order.
  var sources: [Int64] { mine.keys.sorted() }

  /// Returns the leased amount within the current transaction.
  func current(_ source: Int64) -> Spend {
    (mine[source] ?? .zero).adding(changes[source] ?? .zero)
  }

  private func note(_ slice: Spend, on source: Int64) throws(LedgerError) {
    add.bind(owner, at: 1)
    add.bind(source, at: 2)
    add.bind(slice.tokens, at: 3)
    add.bind(slice.nanoUnits, at: 4)
    try add.run()
    changes[source] = (changes[source] ?? .zero).adding(slice)
  }

  private func takeOff(_ amount: Spend, _ source: Int64) throws(LedgerError) {
    let change = Spend(tokens: -amount.tokens, nanoUnits: -amount.nanoUnits)
    let rest = current(source).adding(change)
    if rest == .zero {
      remove.bind(owner, at: 1)
      remove.bind(source, at: 2)
      try remove.run()
    } else {
      take.bind(amount.tokens, at: 1)
      take.bind(amount.nanoUnits, at: 2)
      take.bind(owner, at: 3)
      take.bind(source, at: 4)
      try take.run()
    }
    changes[source] = (changes[source] ?? .zero).adding(change)
  }

  private func releaseFromSource(_ amount: Spend, _ source: Int64) throws(LedgerError) {
    release.bind(amount.tokens, at: 1)
    release.bind(amount.nanoUnits, at: 2)
    release.bind(source, at: 3)
    try release.run()
  }

  /// Returns false if less is left within the limits.
  private func reserve(
    _ slice: Spend, of source: Int64, within limits: LimitsInForce
  ) throws(LedgerError) -> Bool {
    reserve.bind(slice.tokens, at: 1)
    reserve.bind(slice.nanoUnits, at: 2)
    reserve.bind(source, at: 3)
    reserve.bind(limits.tokens, at: 4)
    reserve.bind(limits.nanoUnits, at: 5)
    return try reserve.firstInteger() != nil
  }

  // MARK: Reading

  private func standing(of source: Int64) throws(LedgerError) -> SourceStanding {
    read.bind(source, at: 1)
    defer { read.reset() }
    guard try read.step() else { throw .unreadable(record: "what is leased of \(source)") }
    return SourceStanding(
      settled: Spend(tokens: read.integer(0) ?? 0, nanoUnits: read.integer(1) ?? 0),
      leased: Spend(tokens: read.integer(2) ?? 0, nanoUnits: read.integer(3) ?? 0),
      paidByCredits: read.integer(4) ?? 0)
  }

  private func shared(
    _ standing: SourceStanding, of source: LeaseSource, _ id: Int64
  ) -> SharedStanding {
    SharedStanding(
      of: source, settled: standing.settled, paidByCredits: standing.paidByCredits,
      allLeased: standing.leased, own: current(id))
  }

  private static func amount(in row: Statement) -> Spend {
    Spend(tokens: row.integer(1) ?? 0, nanoUnits: row.integer(2) ?? 0)
  }
}

/// The figures in the row of an account or a credit.
private struct SourceStanding {
  var settled: Spend
  /// The leases of all replicas.
  var leased: Spend
  var paidByCredits: Int64

  /// Returns the slice that a request draws; nil if less than its minimum is left in one of the
  /// units.
  func slice(for request: LeaseRequest, replicas: Int64) -> Spend? {
    func amount(_ unit: LimitUnit, of limit: Int64?) -> Int64? {
      let settled = settled[unit].subtractingSaturated(unit == .tokens ? paidByCredits : 0)
      return LeaseSlice.amount(
        least: request.least[unit], wanted: request.wanted[unit], of: limit,
        spent: settled.addingSaturated(leased[unit]), replicas: replicas)
    }
    guard let tokens = amount(.tokens, of: request.limits.tokens),
      let nanoUnits = amount(.cost, of: request.limits.nanoUnits)
    else { return nil }
    return Spend(tokens: tokens, nanoUnits: nanoUnits)
  }
}
