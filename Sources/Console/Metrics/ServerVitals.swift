public import Ledger
public import Pricing

/// The server's current state, for metrics.
public struct ServerVitals: Sendable {
  public var version: String
  /// Open connections of each listener.
  public var connections: [(listener: String, count: Int)]
  /// Requests and realtime sessions in progress.
  public var requestsInFlight: Int
  /// How long the oldest record has waited to be written to the ledger's database.
  public var ledgerLag: Duration
  /// Reloads of edited files since the start: accepted and refused.
  public var reloads: Int64
  public var reloadFailures: Int64
  /// Spans dropped since the start; nil without traces.
  public var droppedSpans: Int64?
  /// How often clients reached each limit of a listener since the start.
  public var limitsMet: [(limit: String, count: Int64)]

  /// Unmetered answers to each client since the start.
  public var unmeteredRequests: [(client: String, count: Int64)] = []
  /// How often requests needed a missing price since the start, by kind of price.
  public var missingPrices: [(provider: String, kind: PriceDimension.Kind, count: Int64)] = []
  /// Refusals by budgets since the start that were too many to be written.
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
