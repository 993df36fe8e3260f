/// A request's row together with what it changes beside `usage_logs`.
public struct Settlement: Hashable, Sendable {
  public var row: UsageRow
  /// What is added to budget counters, in the same transaction.
  public var charges: [BudgetCharge]
  /// The prices named by `row.priceVersion`, from which the cost can be recomputed; written once
  /// for each version. May be nil when the intent has brought it already.
  public var priceRecord: String?

  public init(row: UsageRow, charges: [BudgetCharge], priceRecord: String?) {
    self.row = row
    self.charges = charges
    self.priceRecord = priceRecord
  }
}
