public import Budgets
public import Metrics
public import Money
public import Pricing

/// The sums of the ledger's records, for metrics.
///
/// `sums` cover all of `usage_logs`. All other figures count from the start of the process.
public struct RecordedUsage: Sendable {
  /// The common values of the rows in one sum.
  public struct Key: Hashable, Sendable {
    public var clientID: String
    public var provider: String
    /// The model's name in the price book, or the common name of all models that the book doesn't
    /// have.
    public var model: String
    public var operation: Operation
    public var outcome: Outcome
  }

  /// The client and the reason of a refusal.
  public struct Refused: Hashable, Sendable {
    public var clientID: String
    public var reason: DenialReason

    public init(clientID: String, reason: DenialReason) {
      self.clientID = clientID
      self.reason = reason
    }
  }

  public internal(set) var sums: [Key: UsageSums] = [:]
  public internal(set) var denials: [Refused: Int64] = [:]
  /// The time that Catraca added to requests.
  public internal(set) var overhead = Histogram(bounds: RecordedUsage.overheadBounds)
  /// The time from sending to the end of the provider's answer.
  public internal(set) var upstreamLatency = Histogram(bounds: RecordedUsage.latencyBounds)
  public internal(set) var timeToFirstToken = Histogram(bounds: RecordedUsage.latencyBounds)

  /// 50 µs to 1 s.
  private static let overheadBounds: [Int64] = [
    50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000,
    1_000_000,
  ]
  /// 10 ms to 10 min.
  private static let latencyBounds: [Int64] = [
    10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000,
    30_000_000, 60_000_000, 120_000_000, 300_000_000, 600_000_000,
  ]
}

extension RecordedUsage.Key {
  init(_ row: UsageRow, model: String) {
    self.init(
      clientID: row.clientID, provider: row.provider, model: model, operation: row.operation,
      outcome: row.outcome)
  }
}

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
