public import Budgets

/// A request's row together with what it changes beside `usage_logs`.
public struct SettledRequest: Hashable, Sendable {
  public var row: UsageRow
  /// What is added to budget counters, in the same transaction.
  public var charges: [BudgetCharge]
  /// What the client's credits pay of it, likewise.
  public var draws: [CreditDraw]
  /// The prices named by `row.priceVersion`, from which the cost can be recomputed; written once
  /// for each version. May be nil when the intent has brought it already.
  public var priceRecord: String?
  /// From sending to the end of the provider's answer, for metrics; kept nowhere.
  public var upstreamMicroseconds: Int64?
  /// Whose leases the charges are taken off, where it waited in a spool.
  var leaseholder: ReplicaID?

  public init(
    row: UsageRow, charges: [BudgetCharge], draws: [CreditDraw] = [], priceRecord: String?,
    upstreamMicroseconds: Int64? = nil
  ) {
    self.row = row
    self.charges = charges
    self.draws = draws
    self.priceRecord = priceRecord
    self.upstreamMicroseconds = upstreamMicroseconds
  }
}
