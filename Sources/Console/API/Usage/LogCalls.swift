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
        answers: .ok(.page(of: DenialJSON.schema)), handler: denials),
      APIRoute(
        .get, "/api/admin/audit-log", .viewer, "Lists changes with their authors",
        query: parameters(auditFilters.map(\.name)),
        answers: .ok(.page(of: changeSchema)), handler: changes),
    ]
  }

  private static let usageSchema = JSONSchema.named(
    "UsageLog", .object(["id": .count] + UsageLogJSON.fields))
  private static let explainedUsageSchema = JSONSchema.named(
    "ExplainedUsageLog", .object(["id": .count] + UsageLogJSON.fields + UsageLogJSON.explanation))
  private static let changeSchema = JSONSchema.named(
    "Change",
    .object([
      "id": .count, "actor": .anyText, "action": .anyText, "target": .anyText,
      "client_id": .anyText.orNull, "before": .freeObject.orNull, "after": .freeObject.orNull,
      "created_at": .instant,
    ]))

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
    return try answer(
      call,
      { reader, range throws(LedgerError) in
        try reader.usageLog(where: filters.conditions, isStream: filters.isStream, range)
      }
    ) { entry, data in UsageLogJSON.write(entry, columns, to: &data) }
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
    return try answer(
      call,
      { reader, range throws(LedgerError) in
        try reader.denialLog(where: conditions, range)
      }
    ) { entry, data in
      DenialJSON.write(entry.content, id: entry.id, to: &data)
    }
  }

  private static func changes(_ call: Call) throws(APIError) -> Answer {
    let conditions = try call.query.conditions(auditFilters)
    return try answer(
      call,
      { reader, range throws(LedgerError) in
        try reader.auditLog(where: conditions, range)
      }
    ) { entry, data in
      let change = entry.content
      data.object { object in
        object.member("id", entry.id)
        object.member("actor", change.actor)
        object.member("action", change.action)
        object.member("target", change.target)
        object.member("client_id", change.clientID)
        for (name, text) in [("before", change.before), ("after", change.after)] {
          object.key(name)
          if let text { object.raw(text.utf8) } else { object.null() }
        }
        object.member("created_at", entry.createdAt.rfc3339)
      }
    }
  }

  // MARK: Pages

  static func answer<Content>(
    _ call: Call,
    _ read: (LedgerReader, LogRange) throws(LedgerError) -> [LogEntry<Content>],
    _ write: (LogEntry<Content>, inout JSONWriter) -> Void
  ) throws(APIError) -> Answer {
    var range = try range(call)
    let limit = range.limit
    range.limit += 1
    let entries = try call.read { reader throws(LedgerError) in try read(reader, range) }
    return Page(entries, limit: limit) { "\($0.cursor)" }.answer(write)
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
