internal import Budgets
public import Ledger
internal import Money
public import Pricing
internal import Time

/// A budget's figures for metrics, small enough to keep for every budget.
struct BudgetFigures: Sendable {
  let id: String
  let currency: String
  let usedTokens: Int64
  let heldTokens: Int64
  /// Nil if the budget doesn't limit tokens.
  let limitTokens: Int64?
  /// In nano-units of `currency`, as are the following.
  let usedCost: Int64
  let heldCost: Int64
  /// Nil if the budget doesn't limit cost.
  let limitCost: Int64?

  init(_ status: AccountStatus) {
    id = "\(status.definition.id)"
    currency = status.settledCost.currency.code
    usedTokens = status.settledTokens
    heldTokens = status.heldTokens
    limitTokens = status.limitTokens
    usedCost = status.settledCost.nanoUnits
    heldCost = status.heldCost.nanoUnits
    limitCost = status.limitCost?.nanoUnits
  }

  /// How many budgets are read at a time, since requests wait meanwhile.
  private static let batchSize = 64

  /// The figures of all budgets in use.
  static func all(of server: any RunningServer, at now: Timestamp) -> [BudgetFigures] {
    let ids = server.readBudgets { $0.definitions.map(\.id) }
    var figures: [BudgetFigures] = []
    for start in stride(from: 0, to: ids.count, by: batchSize) {
      let batch = ids[start..<min(start + batchSize, ids.count)]
      figures += server.readBudgets { budgets in
        batch.compactMap { try? budgets.status(of: $0, at: now) }.map { BudgetFigures($0) }
      }
    }
    return figures.sorted { $0.id < $1.id }
  }
}

/// A client's use of a model, over all operations.
struct ModelUse {
  let client: String
  let provider: String
  let name: String
  private(set) var sums: UsageSums

  /// Kinds of tokens that are shown even if they are zero.
  static let usualKinds: Set<TokenKind> = [.input, .cachedInput, .output, .reasoning]

  /// - Parameter sums: Sorted, so that the sums of a client and model are adjacent.
  static func byModel(_ sums: [(key: RecordedUsage.Key, value: UsageSums)]) -> [ModelUse] {
    var models: [ModelUse] = []
    for (key, sums) in sums {
      if let last = models.last, last.client == key.clientID, last.provider == key.provider,
        last.name == key.model
      {
        models[models.count - 1].sums += sums
      } else {
        models.append(
          ModelUse(client: key.clientID, provider: key.provider, name: key.model, sums: sums))
      }
    }
    return models
  }
}

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
