/// Ends holds. The owner of the `BudgetState` implements it, behind its lock.
///
/// Each method carries out the command of the same name and the events that it causes.
public protocol HoldKeeper: AnyObject, Sendable {
  func settle(_ hold: HoldID, with consumption: Consumption) -> Settlement
  func release(_ hold: HoldID)
  /// Ends a hold that was dropped without being ended. That is a defect, which is counted and
  /// reported.
  func abandon(_ hold: HoldID)
}

/// A bound that is set aside for one request, until the request is settled.
///
/// A `Hold` can't be copied, so it can't be ended twice. If it is dropped without being ended, its
/// whole bound counts as used. The budget is then neither blocked forever nor given back unpaid.
public struct Hold: ~Copyable, Sendable {
  public let grant: Grant
  private let keeper: any HoldKeeper
  private var hasEnded = false

  /// Takes ownership of a grant. Each grant has exactly one `Hold`.
  public init(_ grant: Grant, keeper: any HoldKeeper) {
    self.grant = grant
    self.keeper = keeper
  }

  deinit {
    if !hasEnded { keeper.abandon(grant.hold) }
  }

  /// Ends the hold with the request's actual use, which may exceed the held amount.
  public consuming func settle(with consumption: Consumption) -> Settlement {
    hasEnded = true
    return keeper.settle(grant.hold, with: consumption)
  }

  /// Gives up ownership without ending the hold, for work that outlives its request. The code that
  /// ends the work creates a new `Hold` from the grant.
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
