/// All clients and their objects in force that no file declares.
public struct StoredClients: Hashable, Sendable {
  public var clients: [StoredClient]
  /// Keys of these clients, and of clients that a file declares.
  public var keys: [StoredKey]
  /// Budgets of these clients, and of clients that a file declares.
  public var budgets: [StoredBudget]
  /// Prices of these clients, and of clients that a file declares.
  public var priceOverrides: [StoredPriceOverride]
  public var plans: [StoredPlan]
  /// Subscriptions of these clients, and of clients that a file declares.
  public var subscriptions: [StoredSubscription]
  /// Clients whose charges have been unpaid for too long.
  public var overdue: Set<String>

  public init(
    clients: [StoredClient], keys: [StoredKey], budgets: [StoredBudget] = [],
    priceOverrides: [StoredPriceOverride] = [], plans: [StoredPlan] = [],
    subscriptions: [StoredSubscription] = [], overdue: Set<String> = []
  ) {
    self.clients = clients
    self.keys = keys
    self.budgets = budgets
    self.priceOverrides = priceOverrides
    self.plans = plans
    self.subscriptions = subscriptions
    self.overdue = overdue
  }
}

extension LedgerReader {
  /// Returns the clients and their objects in force that no file declares, from one snapshot.
  /// - Throws: `LedgerError` if the database can't be read.
  public func storedClients() throws(LedgerError) -> StoredClients {
    try connection.snapshot { () throws(LedgerError) in
      StoredClients(
        clients: try connection.all(),
        keys: try connection.all(),
        budgets: try connection.all(),
        priceOverrides: try connection.all(),
        plans: try StoredPlan.all(connection),
        subscriptions: try connection.all(),
        overdue: try PaymentPauseStore(connection).all())
    }
  }

  /// Returns a number that changes whenever another connection commits. It reads no page.
  /// - Throws: `LedgerError` if the database can't be read.
  public func dataVersion() throws(LedgerError) -> Int64 {
    try connection.prepare(connection.dialect.dataVersion).firstInteger() ?? 0
  }

  /// Returns the number of the latest administrative change; 0 before the first.
  ///
  /// While it stays the same, the result of `storedClients` does too, regardless of recorded usage.
  /// - Throws: `LedgerError` if the database can't be read.
  public func latestChange() throws(LedgerError) -> Int64 {
    try connection.prepare("SELECT max(id) FROM audit_log").firstInteger() ?? 0
  }
}

extension Dialect {
  /// PostgreSQL's number covers the ended and the open transactions of the whole server.
  fileprivate var dataVersion: String {
    switch self {
    case .sqlite: "PRAGMA data_version"
    case .postgresql: "SELECT hashtextextended(CAST(pg_current_snapshot() AS TEXT), 0)"
    }
  }
}
