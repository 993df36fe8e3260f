internal import EventLoop
internal import Metrics
internal import Pricing

/// The sums that metrics show, and `usage_totals`, where they survive a restart.
///
/// A row counts when it is committed, and then in memory alone: the table is written every
/// `largestTail` rows and at the end. So a request costs no further write, and a start reads what
/// the table says and the few rows that came after.
///
/// Of a database of several servers, each writes its sums in every commit, since which rows came
/// after isn't to be told from their ids; and what metrics show is what the one server has recorded
/// since it started.
final class UsageTotalStore {
  /// How metrics call a model of a provider.
  typealias ModelLabel = @Sendable (_ model: String, _ provider: String) -> String

  /// What a row says besides its sums.
  private struct Addition {
    var overhead: Int64?
    var upstreamLatency: Int64?
    var timeToFirstToken: Int64?
  }

  /// Rows that a start may have to read.
  static let largestTail = 1_000

  private let recorded: Lock<RecordedUsage>
  private let label: ModelLabel
  private let connection: DatabaseConnection
  private let isShared: Bool
  private let add: Statement
  private let reach: Statement
  /// Of the transaction under way.
  private var added = SumsByKey<RecordedUsage.Key, UsageSums>()
  private var additions: [Addition] = []
  private var refusals: [RecordedUsage.Refused] = []
  /// Sums of rows that the transaction replaces.
  private var removals: [(key: RecordedUsage.Key, sums: UsageSums)] = []
  private var lastID: Int64 = 0
  private var isWriting = false
  /// Committed, and not yet in the table.
  private var tail: [RecordedUsage.Key: UsageSums] = [:]
  private var tailRows = 0
  private var lastCommittedID: Int64 = 0

  /// Reads what is recorded so far into `recorded`.
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

  /// Counts a row that was inserted with this id.
  func add(_ row: UsageRow, id: Int64, upstreamMicroseconds: Int64?) {
    let key = RecordedUsage.Key(row, model: label(row.model, row.provider))
    added.change(key, from: UsageSums()) { $0 += UsageSums(of: row) }
    additions.append(
      Addition(
        overhead: row.overheadMicroseconds, upstreamLatency: upstreamMicroseconds,
        timeToFirstToken: row.timeToFirstTokenMilliseconds.map { $0 * 1000 }))
    lastID = id
  }

  /// Takes back what a row has added that is replaced. What metrics show never goes down.
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

  /// Brings the table up to the last commit, once that is worth its cost; once a transaction.
  func flush(always: Bool = false) throws(LedgerError) {
    if isShared { return try writeAdditions() }
    let isDue = always ? tailRows > 0 : tailRows >= UsageTotalStore.largestTail
    guard isDue, !isWriting else { return }
    isWriting = true
    for (key, sums) in tail { try write(sums, of: key) }
    reach.bind(lastCommittedID, at: 1)
    try reach.run()
  }

  /// Adds what the transaction under way has counted, in the order in which every server does.
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

  /// The rows that came after the table was written: after a kill, or when the table is new.
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
  /// By which keys are sorted.
  fileprivate var order: (String, String, String, String, String) {
    (clientID, provider, model, operation.rawValue, outcome.rawValue)
  }
}
