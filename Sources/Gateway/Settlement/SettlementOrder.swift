internal import Budgets
public import Ledger

// The order in which the budgets and the ledger learn what was used. No other file ends a hold with
// a use, or counts a use in a budget.

/// The end of a hold with what was used. `charges` go into the rows, and the caller calls
/// `finish(in:)` when those are safe.
///
/// A server that shares its limits with no other ends the hold at once, since only its own requests
/// can take what becomes free. Where replicas share limits, the rows come first: what a lease gets
/// back can be another replica's at once, so by then the ledger must know the charge.
///
/// Example: a lease of 1,000 tokens has a hold of 400, and 100 were used. If the hold ended first,
/// another replica could take the 300 tokens that became free, and if this process died before its
/// commit, nobody would know of the 100.
struct SettlementOrder: ~Copyable {
  /// The charges that the budgets and credits pay.
  let charges: Budgets.Settlement
  private let used: Consumption
  /// The hold, where it ends after the commit.
  private var hold: Hold?

  /// - Parameter used: The use, which may exceed the hold.
  init(_ hold: consuming Hold, with used: Consumption, in controller: AdmissionController) {
    self.used = used
    if controller.leases == nil {
      charges = hold.settle(with: used)
      self.hold = nil
    } else {
      charges = controller.expectation(settling: hold.grant.hold, with: used)
      self.hold = consume hold
    }
  }

  /// Ends the hold, unless it has ended.
  ///
  /// - Returns: The rest of the tightest budget now; nil if no budget applies.
  consuming func finish(in ledger: any Ledger) -> Remainder? {
    guard let hold = hold.take() else { return charges.tightest }
    let settlement = hold.settle(with: used)
    // Nobody knew before the commit which thresholds the charges would reach.
    for threshold in settlement.charges.flatMap(\.thresholds) {
      ledger.record(Alert(threshold))
    }
    return settlement.tightest
  }
}

extension Gateway {
  /// Counts a part of a hold as used, for one row of several. The rest stays held, so nothing
  /// becomes free before the row is safe.
  ///
  /// - Parameter caller: The user and conversation whose part of the hold pays; nil if they aren't
  ///   known.
  func draw(
    _ used: Consumption, from grant: Grant, for entry: SettledRequest, of caller: Caller?
  ) -> SettledRequest {
    entry.charged(by: controller.draw(used, from: grant.hold, for: caller))
  }

  /// Counts usage from outside in every budget that applies, and records it; returns when that is
  /// safe. It has happened already, so it is never refused, and nothing was held for it.
  ///
  /// - Throws: `LedgerError` if the usage can't be recorded.
  public func record(_ usage: ExternalUsage) async throws(LedgerError) {
    if let leases = controller.leases { await controller.lease(for: usage, at: leases) }
    let settlement = controller.record(usage.consumption, rates: usage.rates, for: usage.caller)
    let entry = SettledRequest(
      row: usage.row, charges: [], priceRecord: usage.priceRecord, claim: usage.claim)
    try await ledger.settle(entry.charged(by: settlement))
  }
}

extension SettledRequest {
  /// The same with what budgets and credits pay for it.
  func charged(by settlement: Budgets.Settlement) -> SettledRequest {
    var charged = self
    charged.charges = settlement.charges.map(BudgetCharge.init)
    charged.draws = settlement.draws
    return charged
  }
}
