/// What a replica gives back of a lease: it has stopped using it already.
///
/// It must reach the ledger after the settlements of all holds that have ended, and before any
/// request that is asked for later.
public struct LeaseReturn: Hashable, Sendable {
  public enum Amount: Hashable, Sendable {
    /// The replica uses none of it any more: its lease is nought from now on, whatever the ledger
    /// has leased to it.
    case everything
    /// So much less, and never below nought.
    case part(Spend)
  }

  public let source: LeaseSource
  public let amount: Amount

  public init(of source: LeaseSource, amount: Amount) {
    self.source = source
    self.amount = amount
  }
}
