internal import Time

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
