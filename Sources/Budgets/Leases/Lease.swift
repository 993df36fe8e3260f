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
