public import Time

/// A page of a log within a span of time.
public struct LogRange: Hashable, Sendable {
  /// The start of the span, which is included; nil for no start.
  public var since: Timestamp?
  /// The end of the span, which isn't included; nil for no end.
  public var until: Timestamp?
  /// The last entry of the previous page; the page has only entries before it. Nil for the first
  /// page.
  public var cursor: LogCursor?
  /// The most entries of the page.
  public var limit: Int

  public init(
    since: Timestamp? = nil, until: Timestamp? = nil, cursor: LogCursor? = nil, limit: Int
  ) {
    self.since = since
    self.until = until
    self.cursor = cursor
    self.limit = limit
  }
}

/// Identifies an entry of a log, so that the next page begins after it. As text:
/// `1795331400123-42`.
public struct LogCursor: Hashable, Sendable, LosslessStringConvertible {
  public var createdAt: Timestamp
  public var id: Int64

  public init(createdAt: Timestamp, id: Int64) {
    self.createdAt = createdAt
    self.id = id
  }

  public init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let milliseconds = Int64(parts[0]), let id = Int64(parts[1]) else {
      return nil
    }
    self.init(createdAt: Timestamp(milliseconds: milliseconds), id: id)
  }

  public var description: String { "\(createdAt.milliseconds)-\(id)" }
}

/// An entry of a log, with its number.
public struct LogEntry<Content: Sendable>: Sendable {
  public var id: Int64
  public var createdAt: Timestamp
  public var content: Content

  public var cursor: LogCursor { LogCursor(createdAt: createdAt, id: id) }
}

/// The columns by which `usage_logs` can be filtered.
public enum UsageColumn: String, Sendable, Hashable, CaseIterable {
  case client = "client_id"
  case key = "key_name"
  case user = "user_id"
  case conversation = "conversation_id"
  case agent = "agent_id"
  case provider = "source"
  case model, operation, outcome
  case usageSource = "usage_source"
}

/// The columns by which `denials` can be filtered.
public enum DenialColumn: String, Sendable, Hashable, CaseIterable {
  case client = "client_id"
  case key = "key_name"
  case user = "user_id"
  case model, operation, reason
  case budget = "budget_id"
}

/// The columns by which `audit_log` can be filtered.
public enum AuditColumn: String, Sendable, Hashable, CaseIterable {
  case client = "client_id"
  case actor, action
}

/// One administrative change, as `audit_log` records it.
public struct RecordedChange: Hashable, Sendable {
  /// The actor, for example `token:bars`.
  public var actor: String
  /// The action, for example `budget.create`.
  public var action: String
  /// The changed object, for example `budget:acme/b1`.
  public var target: String
  public var clientID: String
  /// The object before the change, as JSON; nil if it didn't exist.
  public var before: String?
  public var after: String?
}

extension LedgerReader {
  /// Returns rows of `denials`, newest first.
  /// - Throws: `LedgerError` if the database can't be read, or a row can't be understood.
  public func denialLog(
    where conditions: [DenialColumn: String], _ range: LogRange
  ) throws(LedgerError) -> [LogEntry<DenialRow>] {
    try entries(
      of: "denials", conditions.map { ($0.key.rawValue, $0.value) }, range, .byInstant
    ) { fields throws(LedgerError) in try DenialRow(from: fields) }
  }

  /// Returns rows of `audit_log`, newest first.
  /// - Throws: `LedgerError` if the database can't be read, or a row can't be understood.
  public func auditLog(
    where conditions: [AuditColumn: String], _ range: LogRange
  ) throws(LedgerError) -> [LogEntry<RecordedChange>] {
    try entries(
      of: "audit_log", conditions.map { ($0.key.rawValue, $0.value) }, range, .byID
    ) { fields throws(LedgerError) in
      let record = "an entry of audit_log"
      return RecordedChange(
        actor: try fields.requiredText("actor", of: record),
        action: try fields.requiredText("action", of: record),
        target: try fields.requiredText("target", of: record),
        clientID: fields.text("client_id") ?? "", before: fields.text("before"),
        after: fields.text("after"))
    }
  }

  /// Whether an administrator has accepted configuration files with this digest at `since` or
  /// later.
  /// - Throws: `LedgerError` if the database can't be read.
  public func isConfigurationAccepted(
    _ digest: String, since: Timestamp
  ) throws(LedgerError) -> Bool {
    let select = try connection.prepare(
      "SELECT max(id) FROM audit_log WHERE action = ? AND target = ? AND created_at >= ?")
    select.bind(AuditEntry.acceptsConfiguration, AuditEntry.configuration(digest), since.rfc3339)
    return try select.firstInteger() != nil
  }

  /// The order of an index, so that the database finds a page without reading other rows.
  enum LogOrder {
    case byID, byInstant
  }

  /// - Parameters:
  ///   - table: A constant.
  ///   - conditions: Constant expressions, and the texts that they must equal.
  ///   - clauses: Further conditions, all constants.
  ///   - index: The index that finds the entries; nil lets SQLite choose.
  func entries<Content: Sendable>(
    of table: String, _ conditions: [(String, String)], _ range: LogRange, _ order: LogOrder,
    besides clauses: [String] = [], by index: String? = nil,
    _ read: (ColumnReader) throws(LedgerError) -> Content
  ) throws(LedgerError) -> [LogEntry<Content>] {
    let source = connection.dialect.indexed(table, by: index)
    var filter = "WHERE created_at >= ?1 AND created_at < ?2 AND id < ?4"
    if order == .byInstant {
      filter = "WHERE created_at >= ?1 AND created_at < ?2 AND (created_at, id) < (?5, ?4)"
    }
    let firstPlace = order == .byInstant ? 6 : 5
    for (index, condition) in conditions.enumerated() {
      filter += " AND \(condition.0) = ?\(index + firstPlace)"
    }
    for clause in clauses { filter += " AND \(clause)" }
    let newestFirst = order == .byID ? "ORDER BY id DESC" : "ORDER BY created_at DESC, id DESC"
    let select = try connection.prepare(
      connection.dialect.page(of: table, source, filter, newestFirst, limit: "?3"))
    select.bind(range.since?.rfc3339 ?? "", at: 1)
    // Greater than the text of any time.
    select.bind(range.until?.rfc3339 ?? "~", at: 2)
    select.bind(Int64(range.limit), at: 3)
    select.bind(range.cursor?.id ?? .max, at: 4)
    if order == .byInstant { select.bind(range.cursor?.createdAt.rfc3339 ?? "~", at: 5) }
    for (index, condition) in conditions.enumerated() {
      select.bind(condition.1, at: Int32(index + firstPlace))
    }
    var entries: [LogEntry<Content>] = []
    try select.forEachRow { () throws(LedgerError) in
      let fields = ColumnReader(statement: select)
      entries.append(
        LogEntry(
          id: fields.integer("id") ?? 0,
          createdAt: try fields.requiredInstant("created_at", of: "an entry of \(table)"),
          content: try read(fields)))
    }
    return entries
  }
}

extension LedgerReader {
  /// Returns a request's charges to budgets; empty if the request has no row.
  /// - Throws: `LedgerError` if the database can't be read, or a charge can't be understood.
  public func budgetCharges(of row: UsageRow) throws(LedgerError) -> [BudgetCharge] {
    let select = try connection.prepare(
      "SELECT budget_accounts FROM usage_logs WHERE request_id = ?")
    defer { select.reset() }
    select.bind(row.requestID.description)
    guard try select.step(), let text = select.text(0), !text.isEmpty else { return [] }
    var charges: [BudgetCharge] = []
    for part in text.split(separator: ",") {
      guard let charge = RecordedCharge(part) else {
        throw .unreadable(record: "a charge of \(row.requestID)")
      }
      charges.append(try budgetCharge(charge, of: row))
    }
    return charges
  }

  private func budgetCharge(
    _ charge: RecordedCharge, of row: UsageRow
  ) throws(LedgerError) -> BudgetCharge {
    let select = try connection.prepare("SELECT * FROM budget_accounts WHERE id = ?")
    defer { select.reset() }
    select.bind(charge.account)
    guard try select.step() else {
      throw .unreadable(record: "budget account \(charge.account) of \(row.requestID)")
    }
    let key = try BudgetAccountKey(from: ColumnReader(statement: select))
    let figures = charge.figures(of: row, in: key.currency)
    return BudgetCharge(account: key, tokens: figures.tokens, costNano: figures.costNano)
  }

  /// Returns the refusal of one request; nil if no budget refused it.
  /// - Throws: `LedgerError` if the database can't be read, or the row can't be understood.
  public func denial(_ requestID: RequestID) throws(LedgerError) -> DenialRow? {
    let select = try connection.prepare("SELECT * FROM denials WHERE request_id = ?")
    select.bind(requestID.description)
    return try select.firstRow(DenialRow.init(from:))
  }
}
