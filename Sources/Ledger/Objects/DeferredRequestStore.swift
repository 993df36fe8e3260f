/// `deferred_requests`: requests whose providers have answered and go on with the work.
final class DeferredRequestStore {
  private let connection: DatabaseConnection
  private var replica: ReplicaID?
  private let insert: Statement
  private let update: Statement
  private let delete: Statement

  /// - Parameter replica: who follows what is inserted; nil where one server has the database.
  init(_ connection: DatabaseConnection, replica: ReplicaID? = nil) throws(LedgerError) {
    self.connection = connection
    self.replica = replica
    insert = try connection.prepare(DeferredRequestStore.insertRow)
    update = try connection.prepare(DeferredRequestStore.updateProgress)
    delete = try connection.prepare(DeferredRequestStore.deleteRow)
  }

  /// Nothing is written where the provider's object is known already.
  func insert(_ request: DeferredRequest) throws(LedgerError) {
    // They are written with this row; a later settlement must not bring back what is deleted.
    var request = request
    if !request.expected.objects.isEmpty { request.expected.objects = [] }
    var parameters = ParameterWriter(insert)
    request.write(to: &parameters)
    parameters.write("replica_id", replica?.text)
    try insert.run()
  }

  func become(_ replica: ReplicaID) {
    self.replica = replica
  }

  /// Follows what another replica followed, which is gone; returns it, oldest first.
  func inherit(from gone: ReplicaID) throws(LedgerError) -> [DeferredRequest] {
    let update = try connection.prepare(DeferredRequestStore.updateReplica)
    update.bind(replica?.text, gone.text)
    let settlements = SettlementReader()
    let requests = try update.rows(passingOver: connection.unreadable, .isLeftOut) {
      row throws(LedgerError) in try DeferredRequest(from: row, settlements)
    }
    return try DeferredRequestStore.addingPriceRecords(to: requests, connection)
      .sorted { $0.requestID.description < $1.requestID.description }
  }

  /// Nil means that the request is settled.
  func note(
    _ progress: DeferredRequest.Progress?, of requestID: RequestID
  ) throws(LedgerError) {
    guard let progress else {
      delete.bind(requestID.description)
      return try delete.run()
    }
    var parameters = ParameterWriter(update)
    progress.write(to: &parameters)
    parameters.write("request_id", requestID.description)
    try update.run()
  }

  /// Those that a new process goes on with, oldest first.
  static func all(_ connection: DatabaseConnection) throws(LedgerError) -> [DeferredRequest] {
    let select = try connection.prepare(selectAll)
    let settlements = SettlementReader()
    let requests = try select.rows(passingOver: connection.unreadable, .isLeftOut) {
      row throws(LedgerError) in try DeferredRequest(from: row, settlements)
    }
    return try addingPriceRecords(to: requests, connection)
  }

  /// The table leaves out the prices of what is expected, which the database has by their version.
  private static func addingPriceRecords(
    to requests: [DeferredRequest], _ connection: DatabaseConnection
  ) throws(LedgerError) -> [DeferredRequest] {
    let select = try connection.prepare("SELECT record FROM price_versions WHERE version = ?")
    var completed = requests
    for place in completed.indices {
      guard let version = completed[place].expected.row.priceVersion else { continue }
      select.bind(version)
      let record = try select.firstRow { fields in fields.text("record") }
      completed[place].expected.priceRecord = record ?? nil
    }
    return completed
  }

  /// The columns are those of `DeferredRequest.write(to:)`, in its order.
  private static let insertRow = """
    INSERT INTO deferred_requests (request_id, provider, object_id, kind, expected, priced_model,
      service_tier, image_model, settled_lines, held_tokens, held_nano_usd, replica_id)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
    """
  private static let updateProgress = """
    UPDATE deferred_requests SET settled_lines = ?1, held_tokens = ?2, held_nano_usd = ?3
    WHERE request_id = ?4
    """
  private static let deleteRow = "DELETE FROM deferred_requests WHERE request_id = ?"
  private static let updateReplica =
    "UPDATE deferred_requests SET replica_id = ? WHERE replica_id = ? RETURNING *"
  private static let selectAll = "SELECT * FROM deferred_requests ORDER BY request_id"
}

extension LedgerReader {
  /// The requests whose providers still work on them, oldest first: what a start goes on with.
  ///
  /// - Throws: `LedgerError` if the ledger can't be read.
  public func deferredRequests() throws(LedgerError) -> [DeferredRequest] {
    try DeferredRequestStore.all(connection)
  }
}
