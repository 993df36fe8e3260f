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
