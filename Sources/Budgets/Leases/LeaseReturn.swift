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
