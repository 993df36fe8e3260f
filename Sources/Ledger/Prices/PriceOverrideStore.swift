internal import Time

/// Reads and writes `pricing_config`: clients' own prices. A replaced or removed override keeps its
/// row, so that price versions can always be looked up.
struct PriceOverrideStore {
  private let connection: DatabaseConnection

  init(_ connection: DatabaseConnection) {
    self.connection = connection
  }

  /// Returns the overrides in force, of one client or of all.
  func all(of clientID: String? = nil) throws(LedgerError) -> [StoredPriceOverride] {
    let select = try connection.prepare(PriceOverrideStore.selectInForce)
    select.bind(clientID)
    return try select.rows(
      passingOver: connection.unreadable, .closesClient, StoredPriceOverride.init(from:))
  }

  /// Returns the number of the client's next override.
  func nextNumber(of clientID: String) throws(LedgerError) -> Int64 {
    let select = try connection.prepare(
      "SELECT coalesce(max(number), 0) + 1 FROM pricing_config WHERE client_id = ?")
    select.bind(clientID)
    return try select.firstInteger() ?? 1
  }

  func insert(_ override: StoredPriceOverride) throws(LedgerError) {
    let insert = try connection.prepare(PriceOverrideStore.insertOverride)
    var parameters = ParameterWriter(insert)
    override.write(to: &parameters)
    try insert.run()
  }

  func end(_ override: StoredPriceOverride, at now: Timestamp) throws(LedgerError) {
    let update = try connection.prepare(
      "UPDATE pricing_config SET ended_at = ?3 WHERE client_id = ?1 AND number = ?2")
    try update.run(override.clientID, override.number, now.rfc3339)
  }

  private static let selectInForce = """
    SELECT * FROM pricing_config
    WHERE ended_at IS NULL AND (CAST(?1 AS TEXT) IS NULL OR client_id = ?1)
    ORDER BY client_id, provider, model
    """
  /// The columns of `StoredPriceOverride.write(to:)`, in its order.
  private static let insertOverride = """
    INSERT INTO pricing_config (client_id, number, provider, model, prices, created_at)
    VALUES (?, ?, ?, ?, ?, ?)
    """
}
