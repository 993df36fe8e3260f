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
