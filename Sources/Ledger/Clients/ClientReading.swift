public import Time

extension LedgerReader {
  /// The clients and what they have in force that no file declares, all as of one instant.
  public func storedClients() throws(LedgerError) -> StoredClients {
    try connection.snapshot { () throws(LedgerError) in
      StoredClients(
        clients: try ClientStore(connection).all(),
        keys: try KeyStore(connection).all(of: nil, includingRevoked: false),
        budgets: try StoredBudgetStore(connection).all(),
        priceOverrides: try PriceOverrideStore(connection).all(),
        plans: try PlanStore(connection).all(),
        subscriptions: try SubscriptionStore(connection).all(),
        overdue: try PaymentPauseStore(connection).all())
    }
  }

  /// A client's own prices in force, by provider and model.
  public func priceOverrides(
    ofClient clientID: String
  ) throws(LedgerError) -> [StoredPriceOverride] {
    try PriceOverrideStore(connection).all(of: clientID)
  }

  /// All keys of a client that were ever made outside of files, by their names.
  public func storedKeys(ofClient clientID: String) throws(LedgerError) -> [StoredKey] {
    try KeyStore(connection).all(of: clientID, includingRevoked: true)
  }

  /// Another number whenever another connection has committed anything; costs no read of a page.
  public func dataVersion() throws(LedgerError) -> Int64 {
    try connection.prepare(connection.dialect.dataVersion).firstInteger() ?? 0
  }

  /// The number of the latest administrative change; 0 before the first.
  ///
  /// While it stays the same, so does what `storedClients` answers, however much is metered.
  public func latestChange() throws(LedgerError) -> Int64 {
    try connection.prepare("SELECT max(id) FROM audit_log").firstInteger() ?? 0
  }

  /// When a key's latest request was admitted, looking back to `start`.
  public func latestUse(
    ofKey name: String, ofClient clientID: String, since start: Timestamp
  ) throws(LedgerError) -> Timestamp? {
    let select = try connection.prepare(
      """
      SELECT created_at FROM usage_logs
      WHERE client_id = ?1 AND key_name = ?2 AND created_at >= ?3
      ORDER BY created_at DESC LIMIT 1
      """)
    defer { select.reset() }
    select.bind(clientID, at: 1)
    select.bind(name, at: 2)
    select.bind(start.rfc3339, at: 3)
    return try select.step() ? select.text(0).flatMap { Timestamp(rfc3339: $0) } : nil
  }
}

extension Dialect {
  /// PostgreSQL's is of the transactions that have ended and those that haven't, anywhere on the
  /// server.
  fileprivate var dataVersion: String {
    switch self {
    case .sqlite: "PRAGMA data_version"
    case .postgresql: "SELECT hashtextextended(CAST(pg_current_snapshot() AS TEXT), 0)"
    }
  }
}
