/// Where holds end: the owner of the `BudgetState`, behind its lock.
///
/// Each call carries the command of the same name out, and the events that it brings about.
public protocol HoldKeeper: AnyObject, Sendable {
  func settle(_ hold: HoldID, with consumption: Consumption) -> Settlement
  func release(_ hold: HoldID)
  /// A hold was dropped without being ended: a defect, which is counted and reported.
  func abandon(_ hold: HoldID)
}

/// A bound that is set aside for one request, until the request is settled.
///
/// It can't be copied, so it can't be ended twice; and if it is dropped on some path that nobody
/// thought of, it counts as fully used instead of being held for ever or given back unpaid.
public struct Hold: ~Copyable, Sendable {
  public let grant: Grant
  private let keeper: any HoldKeeper
  private var hasEnded = false

  /// Takes charge of a grant. There must be one `Hold` for each.
  public init(_ grant: Grant, keeper: any HoldKeeper) {
    self.grant = grant
    self.keeper = keeper
  }

  deinit {
    if !hasEnded { keeper.abandon(grant.hold) }
  }

  /// Ends the hold with what the request used, which may be more than was held.
  public consuming func settle(with consumption: Consumption) -> Settlement {
    hasEnded = true
    return keeper.settle(grant.hold, with: consumption)
  }

  /// Leaves the hold to its grant, without ending it: for work that outlives its request. Whoever
  /// ends that work takes charge of the grant again.
  public consuming func handOver() -> Grant {
    hasEnded = true
    return grant
  }

  /// Ends the hold of a request that never reached a provider.
  public consuming func release() {
    hasEnded = true
    keeper.release(grant.hold)
  }
}
