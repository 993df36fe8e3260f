internal import Time

/// What this replica may use of a limit that it shares with others.
struct Lease: Sendable {
  let id: LeaseID
  /// What is held of it included. Below zero where more was used than leased: what is leased next
  /// makes up for that first. Nought in a unit that isn't limited.
  var amount = Spend.zero
  /// As last heard.
  var leasedToOthers = Spend.zero
  var lastHold: Timestamp
  /// Whether more may be held than is leased, for a reason that no admission could prevent.
  var mayBeExceeded = false
}

/// How much of a limit counts where it is shared with other replicas.
enum LimitScope {
  /// All of it, whoever has leased what.
  case whole
  /// What this replica has leased: that much may be held now.
  case leased
  /// What others haven't leased: that much could be.
  case leasable
}

extension Account {
  /// What of the lease isn't held, in a unit that is limited; below zero where more is held.
  func freeLease(_ lease: Lease, in unit: LimitUnit) -> Int64 {
    let onCredits = unit == .tokens ? heldOnCredits : 0
    return Int64(
      clamping: Int128(lease.amount[unit]) - Int128(held[unit]) + Int128(onCredits))
  }

  /// What more is held than leased, in the units that `limits` has.
  func heldBeyondLease(of limits: LimitsInForce) -> Spend {
    guard let lease else { return .zero }
    return limits.limited(
      Spend(
        tokens: max(0, Int64(0).subtractingSaturating(freeLease(lease, in: .tokens))),
        nanoUnits: max(0, Int64(0).subtractingSaturating(freeLease(lease, in: .cost)))))
  }

  /// Takes what was used off the lease.
  mutating func takeOffLease(_ used: Spend, of limits: LimitsInForce) {
    guard lease != nil else { return }
    lease?.amount.subtractSaturating(used)
    if heldBeyondLease(of: limits) != .zero { lease?.mayBeExceeded = true }
  }

  /// The limits as far as `scope` reaches; without credits.
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
