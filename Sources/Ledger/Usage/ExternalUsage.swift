public import Budgets
public import Money

/// Usage that did not pass the proxy, and that its client reports.
public struct ExternalUsage: Sendable {
  public var row: UsageRow
  public var caller: Caller
  public var consumption: Consumption
  public var rates: ExchangeRates
  /// The prices named by the row's `priceVersion`.
  public var priceRecord: String?
  /// The idempotency key of the report; nil where it has none.
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
