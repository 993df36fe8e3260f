/// `provider_objects` as administrators change it: row by row, each locked until the transaction
/// has ended.
struct ObjectOwnerStore {
  private let connection: DatabaseConnection

  init(_ connection: DatabaseConnection) {
    self.connection = connection
  }

  /// The row of an object, also if the object is deleted, for a change.
  func lock(_ objectID: String, of provider: String) throws(LedgerError) -> ProviderObject? {
    let select = try connection.prepare(
      """
      SELECT * FROM provider_objects WHERE object_id = ? AND provider = ?
      \(connection.dialect.lockingRow)
      """)
    select.bind(objectID, provider)
    return try select.firstRow(ProviderObject.init(from:))
  }

  /// False where a server has recorded the object meanwhile.
  func insert(_ object: ProviderObject) throws(LedgerError) -> Bool {
    let insert = try connection.prepare(
      """
      INSERT INTO provider_objects
        (provider, object_id, kind, client_id, key_name, created_at, deleted_at)
      VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
      """)
    var parameters = ParameterWriter(insert)
    object.write(to: &parameters)
    return try insert.changedRows() == 1
  }

  func update(_ object: ProviderObject) throws(LedgerError) {
    let update = try connection.prepare(
      """
      UPDATE provider_objects
      SET kind = ?3, client_id = ?4, key_name = ?5, created_at = ?6, deleted_at = ?7
      WHERE object_id = ?2 AND provider = ?1
      """)
    var parameters = ParameterWriter(update)
    object.write(to: &parameters)
    try update.run()
  }

  func delete(_ objectID: String, of provider: String) throws(LedgerError) {
    let delete = try connection.prepare(
      "DELETE FROM provider_objects WHERE object_id = ? AND provider = ?")
    try delete.run(objectID, provider)
  }
}

extension Dialect {
  /// Keeps a row as it is until the transaction has ended.
  fileprivate var lockingRow: String {
    switch self {
    case .sqlite: ""
    case .postgresql: "FOR UPDATE"
    }
  }
}
