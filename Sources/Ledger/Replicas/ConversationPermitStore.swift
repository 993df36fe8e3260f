internal import Budgets
internal import Time

/// Reads and writes `conversation_permits`: the conversations that have begun in a period of a plan
/// that limits them, and the permits of replicas to begin others. Begun plus permitted
/// conversations never exceed the limit.
///
/// When a replica first asks in a period, the period's conversations are counted from the rows
/// (`conversation_windows`). From then on, each row updates the count. Replicas that ask for the
/// same client take turns by locking the period's row. Replicas that record rows don't lock it,
/// because a row only turns a permit into a begun conversation.
final class ConversationPermitStore {
  private var replica: ReplicaID
  private let connection: DatabaseConnection
  private let open: Statement
  private let lock: Statement
  private let read: Statement
  private let permit: Statement
  private let begin: Statement
  private let end: Statement
  private let remove: Statement
  private let removeAll: Statement
  /// The time after the first question in a period for which other servers, by their clocks, may
  /// not know yet that a plan limits it.
  private static let longestIgnorance = Duration.seconds(60)

  /// The clients with such periods, as far as this replica knows. Rows of other clients need no
  /// note.
  private var clients: Set<String> = []

  init(_ connection: DatabaseConnection, of replica: ReplicaID) throws(LedgerError) {
    self.replica = replica
    self.connection = connection
    open = try connection.prepare(ConversationPermitStore.openWindow)
    lock = try connection.prepare(ConversationPermitStore.lockWindow)
    read = try connection.prepare(ConversationPermitStore.readWindow)
    permit = try connection.prepare(ConversationPermitStore.insertPermit)
    begin = try connection.prepare(ConversationPermitStore.insertBegun)
    end = try connection.prepare(ConversationPermitStore.removeUsedPermits)
    remove = try connection.prepare(ConversationPermitStore.removePermit)
    removeAll = try connection.prepare(ConversationPermitStore.removePermits)
    try learnClients()
  }

  /// Continues as another replica, without permits.
  func become(_ replica: ReplicaID) throws(LedgerError) {
    self.replica = replica
    try learnClients()
  }

  private func learnClients() throws(LedgerError) {
    let select = try connection.prepare("SELECT DISTINCT client_id FROM conversation_windows")
    try select.forEachRow { if let client = select.text(0) { clients.insert(client) } }
  }

  // MARK: Asking

  /// Returns the answers to questions about conversations, in the order of the questions.
  func answer(
    _ requests: [ConversationRequest]
  ) throws(LedgerError) -> [ConversationAnswer] {
    var answers: [ConversationRequest: ConversationAnswer] = [:]
    var turn: (client: String, window: String)?
    // All servers process the clients in the same order, to avoid deadlocks.
    for request in requests.sorted(by: isEarlier) {
      let wanted = (client: request.key.client, window: request.key.windowStart.rfc3339)
      if turn.map({ $0 != wanted }) ?? true {
        try takeTurn(request)
        turn = wanted
      }
      answers[request] = try answer(request)
    }
    return requests.compactMap { answers[$0] }
  }

  private func isEarlier(_ one: ConversationRequest, _ other: ConversationRequest) -> Bool {
    one.key.client != other.key.client
      ? one.key.client < other.key.client : one.key.windowStart < other.key.windowStart
  }

  /// Blocks other replicas' questions about the client's conversations until the transaction ends.
  private func takeTurn(_ request: ConversationRequest) throws(LedgerError) {
    clients.insert(request.key.client)
    if try isTurnTaken(request) { return }
    bind(windowOf: request.key, to: open)
    open.bind(request.windowEnd?.rfc3339, at: 3)
    open.bind(
      request.askedAt.advanced(by: ConversationPermitStore.longestIgnorance).rfc3339, at: 4)
    if try open.changedRows() == 1 {
      try count(request)
      try forgetWindows(endedBefore: request)
    } else {
      // Another replica was faster.
      _ = try isTurnTaken(request)
    }
  }

  /// Returns false if no replica has asked in the period yet.
  private func isTurnTaken(_ request: ConversationRequest) throws(LedgerError) -> Bool {
    bind(windowOf: request.key, to: lock)
    lock.bind(request.windowEnd?.rfc3339, at: 3)
    return try lock.changedRows() == 1
  }

  /// Counts the conversations that have already begun in the period.
  private func count(_ request: ConversationRequest) throws(LedgerError) {
    let count = try connection.prepare(ConversationPermitStore.countBegun)
    bind(windowOf: request.key, to: count)
    count.bind(request.windowEnd?.rfc3339, at: 3)
    try count.run()
  }

  /// Deletes periods that have ended, even by a clock that was set back.
  private func forgetWindows(endedBefore request: ConversationRequest) throws(LedgerError) {
    let end = BudgetState.earliestClock(after: request.key.windowStart).rfc3339
    for sql in ConversationPermitStore.forget {
      let forget = try connection.prepare(sql)
      try forget.run(request.key.client, end)
    }
  }

  private func answer(_ request: ConversationRequest) throws(LedgerError) -> ConversationAnswer {
    bind(request.key, to: read)
    guard try read.step() else { throw .unreadable(record: "permits of \(request.key.client)") }
    let (taken, begun) = (read.integer(0) ?? 0, read.integer(1) ?? 0)
    let (isTaken, isBegun) = (read.integer(2) == 1, read.integer(3) == 1)
    read.reset()
    let isPermitted = !isBegun && (isTaken || taken < request.limit)
    if isPermitted {
      bind(request.key, to: permit)
      permit.bind(replica.text, at: 4)
      permit.bind(request.number, at: 5)
      try permit.run()
    }
    return ConversationAnswer(
      to: request, isBegun ? .begun : isPermitted ? .permitted : .refused, begun: begun,
      permitted: taken - begun + (isPermitted && !isTaken ? 1 : 0))
  }

  // MARK: Ends of permits

  /// Notes that a request's conversation has begun, in the periods that count it.
  func begin(_ row: UsageRow) throws(LedgerError) {
    guard let conversation = row.conversationID else { return }
    // Reported use needs no permit, and the permits of dead replicas aren't known here.
    guard
      clients.contains(row.clientID) || row.usageSource == .external
        || row.outcome == .interrupted
    else { return }
    try begin.run(row.clientID, row.createdAt.rfc3339, conversation, replica.text)
    try end.run(row.clientID, conversation, replica.text)
  }

  /// Removes a begun conversation whose row was removed, unless another row shows it.
  func unbegin(_ row: UsageRow) throws(LedgerError) {
    guard let conversation = row.conversationID else { return }
    let remove = try connection.prepare(ConversationPermitStore.removeBegun)
    try remove.run(row.clientID, conversation)
  }

  /// Gives back a permit that the replica no longer uses.
  func giveBack(_ back: ConversationReturn) throws(LedgerError) {
    bind(back.key, to: remove)
    remove.bind(replica.text, at: 4)
    remove.bind(back.number, at: 5)
    try remove.run()
  }

  /// Gives back all permits of a dead replica.
  func end(of gone: ReplicaID) throws(LedgerError) {
    try removeAll.run(gone.text)
  }

  private func bind(windowOf key: ConversationKey, to statement: Statement) {
    statement.bind(key.client, key.windowStart.rfc3339)
  }

  private func bind(_ key: ConversationKey, to statement: Statement) {
    bind(windowOf: key, to: statement)
    statement.bind(key.conversation, at: 3)
  }
}

// MARK: - Statements

extension ConversationPermitStore {
  private static let openWindow = """
    INSERT INTO conversation_windows (client_id, window_start, window_end, exact_from)
    VALUES (?, ?, ?, ?)
    ON CONFLICT DO NOTHING
    """
  private static let lockWindow = """
    UPDATE conversation_windows SET window_end = ?3 WHERE client_id = ?1 AND window_start = ?2
    """
  private static let countBegun = """
    INSERT INTO conversation_permits
      (client_id, window_start, conversation_id, replica_id, number)
    SELECT DISTINCT client_id, CAST(?2 AS TEXT), conversation_id, '', 0 FROM usage_logs
    WHERE client_id = ?1 AND created_at >= CAST(?2 AS TEXT)
      AND (CAST(?3 AS TEXT) IS NULL OR created_at < CAST(?3 AS TEXT))
      AND conversation_id IS NOT NULL
    """
  private static let forget = [
    """
    DELETE FROM conversation_permits WHERE client_id = ?1 AND window_start IN
      (SELECT window_start FROM conversation_windows WHERE client_id = ?1 AND window_end < ?2)
    """,
    "DELETE FROM conversation_windows WHERE client_id = ?1 AND window_end < ?2",
  ]
  /// An empty `replica_id` marks a conversation that has begun, for every replica.
  private static let readWindow = """
    SELECT count(DISTINCT conversation_id),
      count(CASE WHEN replica_id = '' THEN 1 END),
      max(CASE WHEN conversation_id = ?3 THEN 1 ELSE 0 END),
      max(CASE WHEN conversation_id = ?3 AND replica_id = '' THEN 1 ELSE 0 END)
    FROM conversation_permits WHERE client_id = ?1 AND window_start = ?2
    """
  private static let insertPermit = """
    INSERT INTO conversation_permits
      (client_id, window_start, conversation_id, replica_id, number)
    VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (client_id, window_start, conversation_id, replica_id)
      DO UPDATE SET number = excluded.number
    """
  /// Marks the conversation in the row's period, and in the permit's period if a call waited from
  /// one period to the next.
  private static let insertBegun = """
    INSERT INTO conversation_permits
      (client_id, window_start, conversation_id, replica_id, number)
    SELECT client_id, window_start, CAST(?3 AS TEXT), '', 0 FROM conversation_windows AS w
    WHERE client_id = ?1
      AND (window_start <= ?2 AND (window_end IS NULL OR window_end > ?2)
        OR EXISTS (SELECT 1 FROM conversation_permits AS p
          WHERE p.client_id = w.client_id AND p.window_start = w.window_start
            AND p.conversation_id = CAST(?3 AS TEXT) AND p.replica_id = ?4))
    ON CONFLICT DO NOTHING
    """
  private static let removeUsedPermits = """
    DELETE FROM conversation_permits
    WHERE client_id = ?1 AND conversation_id = ?2 AND replica_id = ?3
    """
  private static let removeBegun = """
    DELETE FROM conversation_permits
    WHERE client_id = ?1 AND conversation_id = ?2 AND replica_id = ''
      AND NOT EXISTS (SELECT 1 FROM usage_logs WHERE client_id = ?1 AND conversation_id = ?2)
    """
  private static let removePermit = """
    DELETE FROM conversation_permits
    WHERE client_id = ?1 AND window_start = ?2 AND conversation_id = ?3 AND replica_id = ?4
      AND number = ?5
    """
  private static let removePermits = "DELETE FROM conversation_permits WHERE replica_id = ?"
}
