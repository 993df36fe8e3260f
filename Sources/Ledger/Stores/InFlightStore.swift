internal import JSON

/// `in_flight`: what was forwarded and has not ended.
///
/// One row a commit holds all intents that were opened in it, as a JSON array of the settlements
/// that recovery would make of them; it is deleted when the last of them ends. An intent that was
/// settled may thus still stand in its row: the row in `usage_logs` says that it has ended.
final class InFlightStore {
  private let connection: Connection
  private let insert: Statement
  private let delete: Statement
  private let removeIntent: Statement
  /// What is committed: where each live intent stands, and how many are live in each row.
  private var rowOfIntent: [RequestID: Int64] = [:]
  private var liveIntents: [Int64: Int] = [:]
  /// What this transaction does.
  private var opened: [SettledRequest] = []
  private var openedRow: Int64?
  private var ended: [RequestID: Int64] = [:]
  /// The text of the row that was written last, kept for its room.
  private var text: [UInt8] = []

  init(_ connection: Connection) throws(LedgerError) {
    self.connection = connection
    insert = try connection.prepare(InFlightStore.insertRow)
    delete = try connection.prepare(InFlightStore.deleteRow)
    removeIntent = try connection.prepare(InFlightStore.removeIntent)
    let load = try connection.prepare(InFlightStore.loadLive)
    try load.forEachRow { () throws(LedgerError) in
      guard let row = load.integer(0), let id = load.text(1).flatMap({ RequestID($0) }) else {
        throw .unreadable(record: "an intent in in_flight")
      }
      rowOfIntent[id] = row
      liveIntents[row, default: 0] += 1
    }
  }

  func isLive(_ requestID: RequestID) -> Bool {
    rowOfIntent[requestID] != nil
  }

  func open(_ interrupted: SettledRequest) {
    opened.append(interrupted)
  }

  /// The request has its row now.
  func settle(_ requestID: RequestID) {
    if let row = rowOfIntent[requestID] {
      ended[requestID] = row
    } else {
      forgetOpened(requestID)
    }
  }

  /// The request never reached its provider: it must not be found by recovery.
  func discard(_ requestID: RequestID) throws(LedgerError) {
    guard let row = rowOfIntent[requestID] else { return forgetOpened(requestID) }
    ended[requestID] = row
    removeIntent.bind(row, at: 1)
    removeIntent.bind(requestID.description, at: 2)
    try removeIntent.run()
  }

  /// Only a replayed spool opens and ends a request in one transaction.
  private func forgetOpened(_ requestID: RequestID) {
    opened.removeAll { $0.row.requestID == requestID }
  }

  /// Writes what was opened, and deletes the rows whose last intent has ended.
  func flush() throws(LedgerError) {
    var endedInRow: [Int64: Int] = [:]
    for row in ended.values { endedInRow[row, default: 0] += 1 }
    for (row, count) in endedInRow where count == liveIntents[row] {
      delete.bind(row, at: 1)
      try delete.run()
    }
    guard !opened.isEmpty else { return }
    text.removeAll(keepingCapacity: true)
    var json = JSONWriter(appendingTo: text)
    text = []
    json.array { elements in
      for index in opened.indices {
        elements.settlement(opened[index], withPriceRecord: false)
      }
    }
    text = json.bytes
    insert.bind(utf8: text, at: 1)
    try insert.run()
    openedRow = connection.lastInsertedID
  }

  func didCommit() {
    for (requestID, row) in ended {
      rowOfIntent[requestID] = nil
      let left = liveIntents[row, default: 0] - 1
      liveIntents[row] = left > 0 ? left : nil
    }
    if let openedRow {
      for index in opened.indices { rowOfIntent[opened[index].row.requestID] = openedRow }
      liveIntents[openedRow] = opened.count
    }
    forgetTransaction()
  }

  func didRollBack() {
    forgetTransaction()
  }

  private func forgetTransaction() {
    opened.removeAll(keepingCapacity: true)
    ended.removeAll(keepingCapacity: true)
    openedRow = nil
  }

  private static let insertRow = "INSERT INTO in_flight (intents) VALUES (?)"
  private static let deleteRow = "DELETE FROM in_flight WHERE id = ?"
  private static let removeIntent = """
    UPDATE in_flight SET intents = (
      SELECT json_group_array(json(value)) FROM json_each(intents)
      WHERE json_extract(value, '$.row.request_id') <> ?2)
    WHERE id = ?1
    """
  private static let loadLive = """
    SELECT in_flight.id, json_extract(intent.value, '$.row.request_id')
    FROM in_flight, json_each(in_flight.intents) AS intent
    WHERE NOT EXISTS (SELECT 1 FROM usage_logs
      WHERE request_id = json_extract(intent.value, '$.row.request_id'))
    """
}
