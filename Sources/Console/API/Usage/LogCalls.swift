internal import Configuration
internal import JSON
internal import Ledger
internal import Pricing
internal import Time

/// The logs of requests, refusals and changes, newest first.
enum LogCalls {
  static var routes: [APIRoute] {
    [
      APIRoute(
        .get, "/api/admin/usage-logs", .viewer, "Lists requests that went to a provider",
        query: UsageFilters.parameters + ranges + [UsageLogExport.parameter],
        answers: .okOrText(.page(of: usageSchema), mediaTypes: UsageLogExport.mediaTypes),
        handler: usage),
      APIRoute(
        .get, "/api/admin/usage-logs/{request}", .viewer, "Shows one request",
        answers: .ok(explainedUsageSchema), handler: usageOfRequest),
      APIRoute(
        .get, "/api/admin/denials", .viewer, "Lists requests that a budget refused",
        query: parameters(denialFilters.map(\.name)),
        answers: .ok(.page(of: denialFields.schema)), handler: denials),
      APIRoute(
        .get, "/api/admin/audit-log", .viewer, "Lists changes with their authors",
        query: parameters(auditFilters.map(\.name)),
        answers: .ok(.page(of: changeFields.schema)), handler: changes),
    ]
  }

  private static let usageSchema = JSONSchema.named(
    "UsageLog", .object(["id": .count] + UsageLogJSON.fields))
  private static let explainedUsageSchema = JSONSchema.named(
    "ExplainedUsageLog", .object(["id": .count] + UsageLogJSON.fields + UsageLogJSON.explanation))
  static let denialFields =
    ([
      .field("id", \.id), .field("request_id") { "\($0.content.requestID)" },
      .field("client_id", \.content.clientID), .field("key_name", \.content.keyName),
      .field("user_id", \.content.userID), .choice("operation", \.content.operation),
      .field("model", \.content.model), .field("budget_id", \.content.budgetID),
      .choice("reason", \.content.reason), .field("limit_value", \.content.limitValue),
      .field("used", \.content.used), .field("held", \.content.held),
      .field("requested", \.content.requested), .field("reset_at", \.content.resetAt),
      .field("created_at", \.content.createdAt),
    ] as AnswerFields<LogEntry<DenialRow>>).named("Denial")
  private static let changeFields =
    ([
      .field("id", \.id), .field("actor", \.content.actor), .field("action", \.content.action),
      .field("target", \.content.target),
      .field("client_id", as: .anyText.orNull, \.content.clientID),
      .field("before") { $0.content.before.map { AnswerJSON($0) } },
      .field("after") { $0.content.after.map { AnswerJSON($0) } },
      .field("created_at", \.createdAt),
    ] as AnswerFields<LogEntry<RecordedChange>>).named("Change")

  static func parameters(_ filters: [String]) -> [QueryParameter] {
    filters.map { QueryParameter($0, "only entries with this one") } + ranges
  }

  private static let ranges = TimeRange.parameters + QueryParameter.page
  static let denialFilters: [(name: String, column: DenialColumn)] = [
    ("client", .client), ("key", .key), ("user", .user), ("model", .model),
    ("operation", .operation), ("reason", .reason), ("budget", .budget),
  ]
  static let auditFilters: [(name: String, column: AuditColumn)] = [
    ("client", .client), ("actor", .actor), ("action", .action),
  ]

  // MARK: The calls

  private static func usage(_ call: Call) throws(APIError) -> Answer {
    let filters = try UsageFilters(call.query)
    if let format = try UsageLogExport.format(call.query) {
      return try UsageLogExport.answer(call, format, filters, try range(call))
    }
    let columns = UsageLogJSON.columns(showsProviderCosts: call.showsProviderCosts)
    return try page(call) { reader, range throws(LedgerError) in
      try reader.usageLog(where: filters.conditions, isStream: filters.isStream, range)
    }.answer { entry, data in UsageLogJSON.write(entry, columns, to: &data) }
  }

  private static func usageOfRequest(_ call: Call) throws(APIError) -> Answer {
    let (entry, bill) = try explainedRow(call.parameter("request"), call)
    let columns = UsageLogJSON.columns(showsProviderCosts: call.showsProviderCosts)
    return Answer { body in
      body.object { body in
        UsageLogJSON.writeMembers(of: entry, columns, to: &body)
        UsageLogJSON.writeExplanation(by: bill, to: &body)
      }
    }
  }

  /// The row of a request, and the bill that explains its cost; nil if nothing was priced.
  static func explainedRow(
    _ text: String, _ call: Call
  ) throws(APIError) -> (LogEntry<UsageRow>, Bill?) {
    guard let id = RequestID(text) else { throw .notFound("request \(text)") }
    let found = try call.read { reader throws(LedgerError) -> (LogEntry<UsageRow>, String?)? in
      guard let entry = try reader.usageLogEntry(id) else { return nil }
      guard let version = entry.content.priceVersion else { return (entry, nil) }
      return (entry, try reader.priceRecord(version: version))
    }
    guard let (entry, priceRecord) = found else { throw .notFound("request \(text)") }
    return (entry, priceRecord.flatMap { try? Bill(record: $0, of: entry.content.usage) })
  }

  private static func denials(_ call: Call) throws(APIError) -> Answer {
    let conditions = try call.query.conditions(denialFilters)
    return try answer(call, denialFields) { reader, range throws(LedgerError) in
      try reader.denialLog(where: conditions, range)
    }
  }

  private static func changes(_ call: Call) throws(APIError) -> Answer {
    let conditions = try call.query.conditions(auditFilters)
    return try answer(call, changeFields) { reader, range throws(LedgerError) in
      try reader.auditLog(where: conditions, range)
    }
  }

  // MARK: Pages

  static func answer<Content>(
    _ call: Call, _ fields: AnswerFields<LogEntry<Content>>,
    _ read: (LedgerReader, LogRange) throws(LedgerError) -> [LogEntry<Content>]
  ) throws(APIError) -> Answer {
    try page(call, read).answer(fields)
  }

  private static func page<Content>(
    _ call: Call, _ read: (LedgerReader, LogRange) throws(LedgerError) -> [LogEntry<Content>]
  ) throws(APIError) -> Page<LogEntry<Content>> {
    var range = try range(call)
    let limit = range.limit
    range.limit += 1
    let entries = try call.read { reader throws(LedgerError) in try read(reader, range) }
    return Page(entries, limit: limit) { "\($0.cursor)" }
  }

  /// The part of a log that a query selects.
  private static func range(_ call: Call) throws(APIError) -> LogRange {
    let zone = try call.query.text("client").flatMap { call.clients.client($0)?.timeZone } ?? .utc
    let time = try TimeRange(call.query, zone: zone, at: call.now)
    let limit = try call.query.limit()
    let cursor = try call.query.cursor { LogCursor($0) }
    return LogRange(since: time.from, until: time.to, cursor: cursor, limit: limit)
  }
}
