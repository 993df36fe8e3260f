internal import Money
internal import Time

/// One credit of a client's balance.
struct CreditBalanceEntry: Sendable {
  let key: CreditKey
  /// The credit's currency; nil if it counts tokens.
  let currency: Currency?
  let granted: Int64
  let expiresAt: Timestamp?
  /// The remaining amount. If replicas share the credit, the amount that the ledger last reported.
  private(set) var remaining: Int64
  var held: Int64 = 0
  /// This replica's lease; nil if credits aren't shared.
  var lease: Lease?

  init(_ credit: Credit) {
    key = CreditKey(id: credit.id, client: credit.client)
    currency = credit.remaining.money?.currency
    granted = credit.granted.count
    remaining = credit.remaining.count
    expiresAt = credit.expiresAt
  }

  var unit: LimitUnit { currency == nil ? .tokens : .cost }

  func hasExpired(at now: Timestamp) -> Bool { expiresAt.map { $0 <= now } ?? false }

  /// Whether the credit can pay for nothing more.
  func isUsedUp(at now: Timestamp) -> Bool {
    held == 0 && (remaining == 0 || hasExpired(at: now))
  }

  /// Returns the credit's amount within a scope, including holds.
  func amount(within scope: LimitScope) -> Int64 {
    guard let lease else { return remaining }
    return switch scope {
    case .whole: remaining
    case .leasable: remaining.subtractingSaturating(lease.leasedToOthers[unit])
    case .leased: min(remaining, lease.amount[unit])
    }
  }

  func free(within scope: LimitScope, at now: Timestamp) -> Int64 {
    hasExpired(at: now) ? 0 : max(0, amount(within: scope).subtractingSaturating(held))
  }

  func isDrawnBefore(_ other: CreditBalanceEntry) -> Bool {
    let ends = (expiresAt?.milliseconds ?? .max, other.expiresAt?.milliseconds ?? .max)
    if ends.0 != ends.1 { return ends.0 < ends.1 }
    if (currency == nil) != (other.currency == nil) { return currency == nil }
    return key.id < other.key.id
  }

  mutating func hold(_ amount: Int64, at now: Timestamp) {
    held += amount
    lease?.lastHold = now
  }

  mutating func pay(_ amount: Int64) {
    remaining -= amount
    guard lease != nil else { return }
    // Other replicas may have drawn more than this replica has learned of.
    remaining = max(0, remaining)
    let paid = Spend(amount, in: unit)
    lease?.amount.subtractSaturating(paid)
    if heldBeyondLease > 0 { lease?.mayBeExceeded = true }
  }

  // MARK: Shared with other replicas

  /// The part of the lease that isn't held; negative if more is held.
  var freeLease: Int64 { (lease?.amount[unit] ?? 0).subtractingSaturating(held) }

  /// The amount by which holds exceed the lease.
  var heldBeyondLease: Int64 {
    lease == nil ? 0 : max(0, min(held, Int64(0).subtractingSaturating(freeLease)))
  }

  /// Replaces the lease.
  mutating func open(_ new: Lease) {
    lease = new
    if held > 0 { lease?.mayBeExceeded = true }
  }

  /// Applies the credit's standing in the ledger.
  mutating func learn(_ standing: SharedStanding) {
    guard let lease else { return }
    // Some settlements are committed in the ledger, but their holds haven't ended here yet.
    let notEnded = max(0, lease.amount[unit].subtractingSaturating(standing.leased[unit]))
    let left = granted.subtractingSaturating(standing.settled[unit])
    remaining = min(granted, max(0, left.addingSaturating(notEnded)))
    self.lease?.leasedToOthers = standing.leasedToOthers
  }

  /// Returns the lease request so that `amount` more can be held; nil if the lease is large enough.
  func leaseRequest(for amount: Int64) -> LeaseRequest? {
    guard let lease else { return nil }
    let wanted = Int64(clamping: Int128(amount) - Int128(freeLease))
    guard wanted > 0 else { return nil }
    return LeaseRequest(
      of: .credit(key),
      limits: LimitsInForce(
        tokens: unit == .tokens ? granted : nil, nanoUnits: unit == .cost ? granted : nil),
      least: .zero, wanted: Spend(wanted, in: unit), lease: lease.id)
  }
}
