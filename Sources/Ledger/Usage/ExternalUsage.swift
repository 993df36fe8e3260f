public import Budgets
public import Money

/// Usage that didn't pass through the proxy, and that its client reports.
public struct ExternalUsage: Sendable {
  public var row: UsageRow
  public var caller: Caller
  public var consumption: Consumption
  public var rates: ExchangeRates
  /// The prices that the row's `priceVersion` names.
  public var priceRecord: String?
  /// The idempotency key of the report; nil if it has none.
  public var claim: IdempotencyClaim?

  public init(
    row: UsageRow, caller: Caller, consumption: Consumption, rates: ExchangeRates,
    priceRecord: String?
  ) {
    self.row = row
    self.caller = caller
    self.consumption = consumption
    self.rates = rates
    self.priceRecord = priceRecord
  }
}
