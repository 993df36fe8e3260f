internal import Time

/// The part of a limit or credit that this replica may use, when replicas share it.
struct Lease: Sendable {
  let id: LeaseID
  /// The leased amount, including holds. Zero in a unit that isn't limited.
  ///
  /// Negative if more was used than leased; the next lease covers the difference first.
  var amount = Spend.zero
  /// The amount that other replicas have leased, as the ledger last reported it.
  var leasedToOthers = Spend.zero
  var lastHold: Timestamp
  /// Whether holds may exceed the lease for a reason that no admission could prevent.
  var mayBeExceeded = false
}

/// The part of a shared limit that a check considers.
enum LimitScope {
  /// The whole limit, including the leases of other replicas.
  case whole
  /// The part that this replica has leased. This amount may be held now.
  case leased
  /// The part that other replicas haven't leased. This replica could lease it.
  case leasable
}

extension Account {
  /// Returns the part of the lease that isn't held, in a limited unit; negative if more is held.
  func freeLease(_ lease: Lease, in unit: LimitUnit) -> Int64 {
    let onCredits = unit == .tokens ? heldOnCredits : 0
    return Int64(
      clamping: Int128(lease.amount[unit]) - Int128(held[unit]) + Int128(onCredits))
  }

  /// Returns the amount by which holds exceed the lease, in the units that `limits` has.
  func heldBeyondLease(of limits: LimitsInForce) -> Spend {
    guard let lease else { return .zero }
    return limits.limited(
      Spend(
        tokens: max(0, Int64(0).subtractingSaturating(freeLease(lease, in: .tokens))),
        nanoUnits: max(0, Int64(0).subtractingSaturating(freeLease(lease, in: .cost)))))
  }

  /// Subtracts a settlement from the lease.
  mutating func takeOffLease(_ used: Spend, of limits: LimitsInForce) {
    guard lease != nil else { return }
    lease?.amount.subtractSaturating(used)
    if heldBeyondLease(of: limits) != .zero { lease?.mayBeExceeded = true }
  }

  /// Returns the limits within `scope`, without credits.
  func narrowed(_ limits: LimitsInForce, to scope: LimitScope) -> LimitsInForce {
    guard let lease else { return limits }
    switch scope {
    case .whole: return limits
    case .leased:
      let tokens = settled.tokens.addingSaturating(lease.amount.tokens)
        .subtractingSaturating(paidByCredits)
      return LimitsInForce(
        tokens: limits.tokens.map { min($0, tokens) },
        nanoUnits: limits.nanoUnits.map {
          min($0, settled.nanoUnits.addingSaturating(lease.amount.nanoUnits))
        })
    case .leasable:
      return LimitsInForce(
        tokens: limits.tokens.map { max(0, $0 - lease.leasedToOthers.tokens) },
        nanoUnits: limits.nanoUnits.map { max(0, $0 - lease.leasedToOthers.nanoUnits) })
    }
  }
}

/// A replica's request to the shared ledger for a slice of an account's limit or of a credit.
public struct LeaseRequest: Hashable, Sendable {
  public let source: LeaseSource
  /// The limits in force, including a raise: settled use plus all leases must stay within them.
  ///
  /// For a plan, tokens that credits have paid for don't count as settled. For a credit, the limit
  /// is the granted amount.
  public let limits: LimitsInForce
  /// The smallest addition that helps; zero if any addition does.
  public let least: Spend
  /// The addition that covers everything that is asked for now; never less than `least`.
  public let wanted: Spend
  /// The lease to add to.
  public let lease: LeaseID

  public init(
    of source: LeaseSource, limits: LimitsInForce, least: Spend, wanted: Spend, lease: LeaseID
  ) {
    self.source = source
    self.limits = limits
    self.least = least
    self.wanted = wanted
    self.lease = lease
  }
}

/// Distinguishes the successive leases of an account or a credit, so that a late answer never adds
/// to a newer lease.
public struct LeaseID: Hashable, Sendable {
  let number: UInt64
}

/// The ledger's answer to a `LeaseRequest`.
public struct LeaseAnswer: Hashable, Sendable {
  public let lease: LeaseID
  /// The amount added to the lease; zero if too little was left.
  public let added: Spend
  /// The standing of the account or credit after the lease, read in the same statement.
  public let standing: SharedStanding

  /// - Parameter standing: The standing of the request's source.
  public init(to request: LeaseRequest, added: Spend, standing: SharedStanding) {
    precondition(added.tokens >= 0 && added.nanoUnits >= 0, "nothing is leased below zero")
    lease = request.lease
    self.added = added
    self.standing = standing
  }
}

/// A part of a lease that a replica gives back. The replica has already stopped using it.
///
/// It must reach the ledger after the settlements of all ended holds, and before any later lease
/// request.
public struct LeaseReturn: Hashable, Sendable {
  public enum Amount: Hashable, Sendable {
    /// The whole lease. The replica uses none of it any more, whatever amount the ledger has leased
    /// to it.
    case everything
    /// A reduction of the lease, to zero at the lowest.
    case part(Spend)
  }

  public let source: LeaseSource
  public let amount: Amount

  public init(of source: LeaseSource, amount: Amount) {
    self.source = source
    self.amount = amount
  }
}

/// An amount that replicas lease parts of.
public enum LeaseSource: Hashable, Sendable {
  /// An account's limit.
  case account(AccountKey)
  /// A credit that a client has beside its plan.
  case credit(CreditKey)

  public var account: AccountKey? { if case .account(let key) = self { key } else { nil } }
}

/// Identifies one credit of one client.
public struct CreditKey: Hashable, Sendable {
  public let id: Int64
  public let client: String

  public init(id: Int64, client: String) {
    self.id = id
    self.client = client
  }
}

/// The standing of an account or a credit in a ledger that replicas share.
public struct SharedStanding: Hashable, Sendable {
  public let source: LeaseSource
  /// The use that all replicas have settled. For a credit, the amount that they have drawn.
  public let settled: Spend
  /// The settled tokens of a plan that credits have paid for.
  public let paidByCredits: Int64
  /// The lease of the replica that reads the standing.
  public let leased: Spend
  public let leasedToOthers: Spend

  public init(
    of source: LeaseSource, settled: Spend, paidByCredits: Int64 = 0, leased: Spend,
    leasedToOthers: Spend
  ) {
    self.source = source
    self.settled = settled.atLeastZero
    self.paidByCredits = max(0, paidByCredits)
    self.leased = leased.atLeastZero
    self.leasedToOthers = leasedToOthers.atLeastZero
  }
}

/// The used part of a limit as an exact fraction, so that 89.96 % is never shown as 90 %.
public struct Share: Comparable, Sendable, CustomStringConvertible {
  private let used: Int64
  private let limit: Int64

  /// Creates a share. A limit of zero counts as fully used.
  public init(used: Int64, limit: Int64) {
    (self.used, self.limit) = limit > 0 ? (used, limit) : (1, 1)
  }

  /// Whether at least `percent` percent are used.
  public func reaches(percent: Int) -> Bool {
    Int128(used) * 100 >= Int128(limit) * Int128(percent)
  }

  /// Tenths of a percent, rounded down; above 1000 if the limit is passed.
  public var permille: Int {
    Int(clamping: Int128(used) * 1000 / Int128(limit))
  }

  /// The fraction as text: `850/1000`.
  public var description: String { "\(used)/\(limit)" }

  public static func < (left: Share, right: Share) -> Bool {
    Int128(left.used) * Int128(right.limit) < Int128(right.used) * Int128(left.limit)
  }

  public static func == (left: Share, right: Share) -> Bool {
    Int128(left.used) * Int128(right.limit) == Int128(right.used) * Int128(left.limit)
  }
}
