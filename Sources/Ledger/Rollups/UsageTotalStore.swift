internal import EventLoop
internal import Metrics
internal import Pricing

/// Keeps the sums that metrics show, and stores them in `usage_totals`, so that they survive a
/// restart.
///
/// A committed row is at first counted only in memory. The table is written every `largestTail`
/// rows and at the end. A request therefore costs no further write, and a start reads the table and
/// the few later rows.
///
/// If several servers share the database, each one writes its sums in every commit, because row IDs
/// then don't show which rows are later. Metrics show only the sums that this server has recorded
/// since it started.
final class UsageTotalStore {
  /// Returns the name of a provider's model in metrics.
  typealias ModelLabel = @Sendable (_ model: String, _ provider: String) -> String

  /// The values of a row that aren't sums.
  private struct Addition {
    var overhead: Int64?
    var upstreamLatency: Int64?
    var timeToFirstToken: Int64?
  }

  /// The most rows that a start reads.
  static let largestTail = 1_000

  private let recorded: Lock<RecordedUsage>
  private let label: ModelLabel
  private let connection: DatabaseConnection
  private let isShared: Bool
  private let add: Statement
  private let reach: Statement
  /// The sums of the current transaction.
  private var added = SumsByKey<RecordedUsage.Key, UsageSums>()
  private var additions: [Addition] = []
  private var refusals: [RecordedUsage.Refused] = []
  /// The sums of rows that the transaction replaces.
  private var removals: [(key: RecordedUsage.Key, sums: UsageSums)] = []
  private var lastID: Int64 = 0
  private var isWriting = false
  /// The committed sums that aren't in the table yet.
  private var tail: [RecordedUsage.Key: UsageSums] = [:]
  private var tailRows = 0
  private var lastCommittedID: Int64 = 0

  /// Reads the recorded sums into `recorded`.
  init(
    _ connection: DatabaseConnection, recorded: Lock<RecordedUsage>, label: @escaping ModelLabel
  ) throws(LedgerError) {
    self.connection = connection
    isShared = connection.dialect == .postgresql
    self.recorded = recorded
    self.label = label
    add = try connection.prepare(UsageTotalStore.addSums(connection.dialect))
    reach = try connection.prepare("UPDATE usage_totals_reach SET last_id = ?")
    guard !isShared else { return }
    try readTotals()
    try readTail()
  }

  // MARK: Within a transaction

  /// Counts a row that was inserted with this ID.
  func add(_ row: UsageRow, id: Int64, upstreamMicroseconds: Int64?) {
    let key = RecordedUsage.Key(row, model: label(row.model, row.provider))
    added.change(key, from: UsageSums()) { $0 += UsageSums(of: row) }
    additions.append(
      Addition(
        overhead: row.overheadMicroseconds, upstreamLatency: upstreamMicroseconds,
        timeToFirstToken: row.timeToFirstTokenMilliseconds.map { $0 * 1000 }))
    lastID = id
  }

  /// Subtracts a replaced row from the table. Metrics never decrease.
  func remove(_ row: UsageRow) {
    removals.append(
      (
        RecordedUsage.Key(row, model: label(row.model, row.provider)),
        UsageSums(of: row).negated
      ))
  }

  func add(_ denial: DenialRow) {
    refusals.append(RecordedUsage.Refused(clientID: denial.clientID, reason: denial.reason))
  }

  /// Updates the table to the last commit, once enough rows have accumulated; at most once a
  /// transaction.
  func flush(always: Bool = false) throws(LedgerError) {
    if isShared { return try writeAdditions() }
    let isDue = always ? tailRows > 0 : tailRows >= UsageTotalStore.largestTail
    guard isDue, !isWriting else { return }
    isWriting = true
    for (key, sums) in tail { try write(sums, of: key) }
    reach.bind(lastCommittedID, at: 1)
    try reach.run()
  }

  /// Adds the sums of the current transaction, in an order that all servers share, to avoid
  /// deadlocks.
  private func writeAdditions() throws(LedgerError) {
    var sums: [RecordedUsage.Key: UsageSums] = [:]
    for (key, added) in added.entries { sums[key, default: UsageSums()] += added }
    for removal in removals { sums[removal.key, default: UsageSums()] += removal.sums }
    for (key, sums) in sums.sorted(by: { $0.key.order < $1.key.order }) {
      try write(sums, of: key)
    }
  }

  private func write(_ sums: UsageSums, of key: RecordedUsage.Key) throws(LedgerError) {
    add.bind(key.clientID, at: 1)
    add.bind(key.provider, at: 2)
    add.bind(key.model, at: 3)
    add.bind(key.operation.rawValue, at: 4)
    add.bind(key.outcome.rawValue, at: 5)
    for (place, value) in sums.values.enumerated() { add.bind(value, at: Int32(6 + place)) }
    try add.run()
  }

  func didCommit() {
    if isWriting {
      tail.removeAll(keepingCapacity: true)
      tailRows = 0
      isWriting = false
    }
    guard !additions.isEmpty || !refusals.isEmpty || !removals.isEmpty else { return }
    recorded.withLock { recorded in
      for (key, sums) in added.entries { recorded.sums[key, default: UsageSums()] += sums }
      for addition in additions {
        if let overhead = addition.overhead { recorded.overhead.observe(overhead) }
        if let latency = addition.upstreamLatency { recorded.upstreamLatency.observe(latency) }
        if let time = addition.timeToFirstToken { recorded.timeToFirstToken.observe(time) }
      }
      for refused in refusals { recorded.denials[refused, default: 0] += 1 }
    }
    if !isShared { lengthenTail() }
    clear()
  }

  private func lengthenTail() {
    for (key, sums) in added.entries { tail[key, default: UsageSums()] += sums }
    if !additions.isEmpty { lastCommittedID = lastID }
    tailRows += additions.count
  }

  func didRollBack() {
    isWriting = false
    clear()
  }

  private func clear() {
    added.removeAll()
    additions.removeAll(keepingCapacity: true)
    refusals.removeAll(keepingCapacity: true)
    removals.removeAll()
  }

  // MARK: At a start

  private func readTotals() throws(LedgerError) {
    let select = try connection.prepare(UsageTotalStore.selectTotals)
    let totals = try select.rows(passingOver: connection.unreadable, .isLeftOut) {
      _ throws(LedgerError) in try read(select)
    }
    for (key, sums) in totals {
      recorded.withLock { $0.sums[key, default: UsageSums()] += sums }
    }
  }

  /// Reads the rows that were committed after the table was written: after a kill, or if the table
  /// is new.
  private func readTail() throws(LedgerError) {
    let select = try connection.prepare(UsageTotalStore.selectTail)
    let rows = try select.rows(passingOver: connection.unreadable, .isLeftOut) {
      _ throws(LedgerError) in
      lastCommittedID = select.integer(Int32(5 + UsageSums.columns.count)) ?? 0
      return try read(select)
    }
    for (key, sums) in rows {
      recorded.withLock { $0.sums[key, default: UsageSums()] += sums }
      tail[key, default: UsageSums()] += sums
      tailRows += 1
    }
  }

  private func read(
    _ select: Statement
  ) throws(LedgerError) -> (RecordedUsage.Key, UsageSums) {
    guard let client = select.text(0), let provider = select.text(1), let model = select.text(2),
      let operation = select.text(3).flatMap({ Operation(rawValue: $0) }),
      let outcome = select.text(4).flatMap({ Outcome(rawValue: $0) })
    else { throw .unreadable(record: "a line of usage_totals, or a row of usage_logs") }
    let key = RecordedUsage.Key(
      clientID: client, provider: provider, model: label(model, provider), operation: operation,
      outcome: outcome)
    return (key, UsageSums { select.integer(Int32(5 + $0)) ?? 0 })
  }

  private static let keys = "client_id, source, model, operation, outcome"
  private static let selectTotals = """
    SELECT \(keys), \(UsageSums.columns.joined(separator: ", ")) FROM usage_totals
    """
  private static let selectTail = """
    SELECT \(keys), \(UsageSums.columnsOfRow.joined(separator: ", ")), id
    FROM usage_logs WHERE id > (SELECT last_id FROM usage_totals_reach) ORDER BY id
    """
  private static func addSums(_ dialect: Dialect) -> String {
    let marks = Array(repeating: "?", count: 5 + UsageSums.columns.count)
    return """
      INSERT INTO usage_totals (\(keys), \(UsageSums.columns.joined(separator: ", ")))
      VALUES (\(marks.joined(separator: ", ")))
      ON CONFLICT (\(keys)) DO UPDATE SET
        \(dialect.additions(to: "usage_totals", UsageSums.columns))
      """
  }
}

extension RecordedUsage.Key {
  /// The sort order of keys.
  fileprivate var order: (String, String, String, String, String) {
    (clientID, provider, model, operation.rawValue, outcome.rawValue)
  }
}
