/// What a replica asks the shared ledger for: a slice of one account's limit, or of a credit.
public struct LeaseRequest: Hashable, Sendable {
  public let source: LeaseSource
  /// The limits in force, a raise included: settled use and all leases together must stay within
  /// them. Of a plan, what credits have paid isn't settled against its limit. Of a credit, all
  /// that was granted.
  public let limits: LimitsInForce
  /// What has to be added to the lease to be of any use; nought where anything is.
  public let least: Spend
  /// What would do for all that is asked for now; never less than `least`.
  public let wanted: Spend
  /// Names the lease to which it will be added.
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

/// Tells the leases apart that an account or a credit has had one after the other, so that an
/// answer never adds to one that came after it was asked for.
public struct LeaseID: Hashable, Sendable {
  let number: UInt64
}
