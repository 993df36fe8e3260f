public import Time

/// Reads and writes `clients`: the clients that no file declares. A deleted client keeps its row
/// but isn't found any more.
struct ClientStore {
  private let connection: DatabaseConnection

  init(_ connection: DatabaseConnection) {
    self.connection = connection
  }

  /// Returns all clients, by ID.
  func all() throws(LedgerError) -> [StoredClient] {
    let select = try connection.prepare(
      "SELECT * FROM clients WHERE deleted_at IS NULL ORDER BY id")
    return try select.rows(
      passingOver: connection.unreadable, .closesClient, client: "id", StoredClient.init(from:))
  }

  func find(_ id: String) throws(LedgerError) -> StoredClient? {
    let select = try connection.prepare(
      "SELECT * FROM clients WHERE id = ? AND deleted_at IS NULL")
    select.bind(id)
    return try select.firstRow(StoredClient.init(from:))
  }

  /// Whether this ID belonged to a deleted client.
  func isDeleted(_ id: String) throws(LedgerError) -> Bool {
    let count = try connection.prepare(
      "SELECT count(*) FROM clients WHERE id = ? AND deleted_at IS NOT NULL")
    count.bind(id)
    return try count.firstInteger() == 1
  }

  func insert(_ client: StoredClient) throws(LedgerError) {
    let insert = try connection.prepare(ClientStore.insertClient)
    var parameters = ParameterWriter(insert)
    client.write(to: &parameters)
    try insert.run()
  }

  func update(_ client: StoredClient) throws(LedgerError) {
    let update = try connection.prepare(ClientStore.updateClient)
    var parameters = ParameterWriter(update)
    client.write(to: &parameters)
    try update.run()
  }

  func delete(_ id: String, at now: Timestamp) throws(LedgerError) {
    let update = try connection.prepare(
      "UPDATE clients SET deleted_at = ?2, updated_at = ?2 WHERE id = ?1 AND deleted_at IS NULL")
    try update.run(id, now.rfc3339)
  }

  /// The columns of `StoredClient.write(to:)`, in its order.
  private static let insertClient = """
    INSERT INTO clients (id, name, timezone, status, payment_customer_id, markup, metadata,
      created_at, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
  private static let updateClient = """
    UPDATE clients SET name = ?2, timezone = ?3, status = ?4, payment_customer_id = ?5,
      markup = ?6, metadata = ?7, created_at = ?8, updated_at = ?9
    WHERE id = ?1 AND deleted_at IS NULL
    """
}

extension LedgerReader {
  /// Returns the clients and their objects in force that no file declares, from one snapshot.
  /// - Throws: `LedgerError` if the database can't be read.
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

  /// Returns a client's own prices in force, by provider and model.
  /// - Throws: `LedgerError` if the database can't be read.
  public func priceOverrides(
    ofClient clientID: String
  ) throws(LedgerError) -> [StoredPriceOverride] {
    try PriceOverrideStore(connection).all(of: clientID)
  }

  /// Returns all keys of a client that no file declares, including revoked ones, by name.
  /// - Throws: `LedgerError` if the database can't be read.
  public func storedKeys(ofClient clientID: String) throws(LedgerError) -> [StoredKey] {
    try KeyStore(connection).all(of: clientID, includingRevoked: true)
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

  /// Returns the admission time of a key's latest request since `start`; nil for none.
  /// - Throws: `LedgerError` if the database can't be read.
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
    select.bind(clientID, name, start.rfc3339)
    return try select.step() ? select.text(0).flatMap { Timestamp(rfc3339: $0) } : nil
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
