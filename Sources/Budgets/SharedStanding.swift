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
    precondition(
      paidByCredits >= 0
        && [settled, leased, leasedToOthers].allSatisfy { $0.tokens >= 0 && $0.nanoUnits >= 0 },
      "what is counted is never negative")
    self.source = source
    self.settled = settled
    self.paidByCredits = paidByCredits
    self.leased = leased
    self.leasedToOthers = leasedToOthers
  }
}
