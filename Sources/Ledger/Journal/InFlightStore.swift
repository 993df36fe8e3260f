internal import JSON

/// Reads and writes `in_flight`: the requests that were forwarded and haven't ended.
///
/// Each commit writes one row with all intents that were opened in it. `JSONWriter.intents` writes
/// them as the settlements that recovery would make. The row is deleted when its last intent ends.
/// A settled intent may therefore still be in its row: its row in `usage_logs` shows that it has
/// ended.
///
/// If several servers share a database, each row belongs to one replica, until another replica
/// settles a dead replica's intents.
final class InFlightStore {
  private var replica: ReplicaID?
  private let load: Statement
  private let findEnd: Statement
  private let insert: Statement
  private let delete: Statement
  private let read: Statement
  private let rewrite: Statement
  private let settlements = SettlementReader()
  private let unreadable: UnreadableRows?
  /// The committed state: the row of each live intent, and the number of live intents in each row.
  private var rowOfIntent: [RequestID: Int64] = [:]
  private var liveIntents: [Int64: Int] = [:]
  /// The changes of the current transaction.
  private var opened: [SettledRequest] = []
  private var openedRow: Int64?
  private var ended: [RequestID: Int64] = [:]
  /// The ended intents that recovery must not find.
  private var discarded: [Int64: Set<RequestID>] = [:]
  /// The text of the last written row, kept for its capacity.
  private var text: [UInt8] = []

  /// - Parameter replica: The replica that owns the intents; nil if one server owns the database.
  init(_ connection: DatabaseConnection, replica: ReplicaID?) throws(LedgerError) {
    self.replica = replica
    unreadable = connection.unreadable
    insert = try connection.prepareInsert(InFlightStore.insertRow)
    delete = try connection.prepare(InFlightStore.deleteRow)
    read = try connection.prepare("SELECT intents FROM in_flight WHERE id = ?")
    rewrite = try connection.prepare("UPDATE in_flight SET intents = ? WHERE id = ?")
    load = try connection.prepare(InFlightStore.rowsOfReplica)
    findEnd = try connection.prepare(UsageLogStore.findRow)
    try readLive()
  }

  /// Reads the committed state: at the start, and after a commit of unknown outcome.
  func readLive() throws(LedgerError) {
    rowOfIntent.removeAll()
    liveIntents.removeAll()
    load.bind(replica?.text, at: 1)
    let rows = try load.rows { fields throws(LedgerError) in
      (id: fields.integer("id"), intents: fields.text("intents"))
    }
    for row in rows {
      guard let id = row.id, let intents = row.intents else {
        throw .unreadable(record: "a row of in_flight")
      }
      for intent in try settlements.intents(in: intents, ofRow: id, passingOver: unreadable) {
        let requestID = intent.row.requestID
        findEnd.bind(requestID.description, at: 1)
        guard try findEnd.firstInteger() == nil else { continue }
        rowOfIntent[requestID] = id
        liveIntents[id, default: 0] += 1
      }
    }
  }

  /// Continues as another replica, after other replicas ended the intents in flight.
  func become(_ replica: ReplicaID) {
    self.replica = replica
    rowOfIntent.removeAll()
    liveIntents.removeAll()
    forgetTransaction()
  }

  func isLive(_ requestID: RequestID) -> Bool {
    rowOfIntent[requestID] != nil
  }

  func open(_ interrupted: SettledRequest) {
    opened.append(interrupted)
  }

  /// Ends an intent whose request has its row now.
  func settle(_ requestID: RequestID) {
    if let row = rowOfIntent[requestID] {
      ended[requestID] = row
    } else {
      forgetOpened(requestID)
    }
  }

  /// Ends an intent whose request never reached its provider. Recovery must not find it.
  func discard(_ requestID: RequestID) {
    guard let row = rowOfIntent[requestID] else { return forgetOpened(requestID) }
    ended[requestID] = row
    discarded[row, default: []].insert(requestID)
  }

  /// Only the replay of a spool opens and ends a request in one transaction.
  private func forgetOpened(_ requestID: RequestID) {
    opened.removeAll { $0.row.requestID == requestID }
  }

  /// Writes the opened intents, removes the discarded ones, and deletes the rows whose last intent
  /// has ended.
  func flush() throws(LedgerError) {
    var endedInRow: [Int64: Int] = [:]
    for row in ended.values { endedInRow[row, default: 0] += 1 }
    for (row, count) in endedInRow.sorted(by: { $0.key < $1.key }) {
      if count == liveIntents[row] {
        delete.bind(row, at: 1)
        try delete.run()
      } else if let requestIDs = discarded[row] {
        try remove(requestIDs, from: row)
      }
    }
    guard !opened.isEmpty else { return }
    writeText(opened)
    insert.bind(utf8: text, at: 1)
    insert.bind(replica?.text, at: 2)
    openedRow = try insert.insertedID()
  }

  private func remove(_ requestIDs: Set<RequestID>, from row: Int64) throws(LedgerError) {
    read.bind(row, at: 1)
    let found = try read.firstRow { fields throws(LedgerError) in fields.text("intents") }
    guard let found, let intents = found else {
      throw .unreadable(record: "a row of in_flight")
    }
    let left = try settlements.intents(in: intents).filter { intent in
      !requestIDs.contains(intent.row.requestID)
    }
    writeText(left)
    rewrite.bind(utf8: text, at: 1)
    rewrite.bind(row, at: 2)
    try rewrite.run()
  }

  private func writeText(_ intents: [SettledRequest]) {
    text.removeAll(keepingCapacity: true)
    var json = JSONWriter(appendingTo: text)
    text = []
    json.intents(intents)
    text = json.bytes
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
    discarded.removeAll()
    openedRow = nil
  }

  private static let insertRow = "INSERT INTO in_flight (intents, replica_id) VALUES (?, ?)"
  static let deleteRow = "DELETE FROM in_flight WHERE id = ?"
  /// The rows of the replica `?1`; if that is NULL, the rows of the only server.
  static let rowsOfReplica =
    "SELECT id, intents FROM in_flight WHERE replica_id IS NOT DISTINCT FROM ?1"
}

extension SettlementReader {
  /// Returns the intents of one row of `in_flight`. An unreadable row is noted and has none.
  func intents(
    in text: String, ofRow id: Int64, passingOver unreadable: UnreadableRows?
  ) throws(LedgerError) -> [SettledRequest] {
    do throws(LedgerError) {
      return try intents(in: text)
    } catch {
      guard case .unreadable(let record) = error, let unreadable else { throw error }
      unreadable.note(
        UnreadableRow(
          clientID: nil, record: "row \(id) of in_flight: \(record)", effect: .isLeftOut))
      return []
    }
  }
}
