public import Ledger
public import Pricing

/// How the server is right now, for metrics.
public struct ServerVitals: Sendable {
  public var version: String
  /// Open connections of each listener.
  public var connections: [(listener: String, count: Int)]
  /// Requests and sessions that are being served.
  public var requestsInFlight: Int
  /// For how long the oldest thing has waited that isn't in the ledger's database yet.
  public var ledgerLag: Duration
  /// Since the start: how often edited files were put in force, and how often refused.
  public var reloads: Int64
  public var reloadFailures: Int64
  /// Since the start: spans that no receiver of traces got; nil where there are no traces.
  public var droppedSpans: Int64?
  /// Since the start: how often clients have met each limit of a listener.
  public var limitsMet: [(limit: String, count: Int64)]

  /// Since the start: answers to each client that passed without being metered.
  public var unmeteredRequests: [(client: String, count: Int64)] = []
  /// Since the start: how often requests needed prices that are missing, by kinds of prices.
  public var missingPrices: [(provider: String, kind: PriceDimension.Kind, count: Int64)] = []
  /// Since the start: refusals by budgets that were too many to be written.
  public var unwrittenDenials: [(client: String, reason: DenialReason, count: Int64)] = []

  public init(
    version: String, connections: [(listener: String, count: Int)], requestsInFlight: Int,
    ledgerLag: Duration, reloads: Int64, reloadFailures: Int64, droppedSpans: Int64?,
    limitsMet: [(limit: String, count: Int64)]
  ) {
    self.version = version
    self.connections = connections
    self.requestsInFlight = requestsInFlight
    self.ledgerLag = ledgerLag
    self.reloads = reloads
    self.reloadFailures = reloadFailures
    self.droppedSpans = droppedSpans
    self.limitsMet = limitsMet
  }
}
