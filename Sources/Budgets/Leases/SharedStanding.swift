/// How an account or a credit stands in a ledger that several replicas share.
public struct SharedStanding: Hashable, Sendable {
  public let source: LeaseSource
  /// What all replicas have settled; of a credit, what they have drawn.
  public let settled: Spend
  /// Those of a plan's settled tokens that credits have paid.
  public let paidByCredits: Int64
  /// What is leased to the replica that reads it.
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
