internal import Budgets
public import Ledger

extension Gateway {
  /// Counts usage from outside in every budget that applies, and records it; returns when that is
  /// safe. It has happened already, so it is never refused.
  public func record(_ usage: ExternalUsage) async throws(LedgerError) {
    if let leases = controller.leases { await controller.lease(for: usage, at: leases) }
    let settlement = controller.record(usage.consumption, rates: usage.rates, for: usage.caller)
    try await ledger.settle(
      SettledRequest(
        row: usage.row, charges: settlement.charges.map(BudgetCharge.init),
        draws: settlement.draws, priceRecord: usage.priceRecord, claim: usage.claim))
  }
}
