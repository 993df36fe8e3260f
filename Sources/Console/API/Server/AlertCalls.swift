internal import Alerts
internal import Budgets
internal import Configuration
internal import Ledger
internal import Time

/// The alerts that were sent, and whether each arrived.
enum AlertCalls {
  static var routes: [APIRoute] {
    [
      APIRoute(
        .get, "/api/admin/alerts", .viewer, "Lists alerts and the state of their deliveries",
        query: LogCalls.parameters(filters.map(\.name)), answers: .ok(.page(of: fields.schema)),
        handler: list),
      APIRoute(
        .post, "/api/admin/alerts/test", .admin,
        "Sends a test alert through one channel, or through all",
        body: Fields(optional: [channel]), answers: .ok(testFields.schema),
        handler: test),
    ]
  }

  private static let filters: [(name: String, column: AlertColumn)] = [
    ("client", .client), ("budget", .budget),
  ]

  private static let channel = BodyField("channel", .text)

  private static let fields =
    ([
      .field("id", \.content.id), .field("budget_id") { "\($0.content.alert.budgetID)" },
      .field("subject", \.content.alert.subject),
      .field("window_start", \.content.alert.window.start),
      .field("threshold", as: .integer(1...100).orNull, \.content.alert.percent),
      .field("unit", \.content.alert.unit.recordedName),
      .field("limit_value", \.content.alert.limitValue), .field("used", \.content.alert.used),
      .list("deliveries", of: delivery, \.content.deliveries),
      .field("created_at", \.content.alert.createdAt),
    ] as AnswerFields<LogEntry<AlertHistory>>).named("Alert")

  private static let delivery: AnswerFields<AlertDeliveryStatus> = [
    .field("channel", \.channel), .field("status", \.state.rawValue),
    .field("attempts", \.attempts), .field("last_error", \.lastError),
    .field("delivered_at", \.deliveredAt),
  ]

  private static let testFields: AnswerFields<[TestResult]> = [
    .list("results", of: testResult) { $0 }
  ]
  private static let testResult: AnswerFields<TestResult> = [
    .field("channel", \.channel), .field("delivered", \.outcome.isDelivered),
    .field("detail", \.outcome.detail),
  ]

  private struct TestResult {
    let channel: String
    let outcome: AlertQueue.Outcome
  }

  private static func list(_ call: Call) throws(APIError) -> Answer {
    let conditions = try call.query.conditions(filters)
    return try LogCalls.answer(call, fields) { reader, range throws(LedgerError) in
      try reader.alertLog(where: conditions, range)
    }
  }

  private static func test(_ call: Call) async throws(APIError) -> Answer {
    let body = try call.body()
    let settings = call.settings.alerts
    let names = settings.channelNames
    let asked = try body.read(channel)
    if let asked, !names.contains(asked) {
      throw .invalidValue(
        "channel",
        allowed: names.isEmpty
          ? "none, no channel is configured" : names.joined(separator: ", "))
    }
    let receivers = asked.map { [$0] } ?? names
    try call.claimKeyBeforeActing(for: AlertQueue.timeout * receivers.count)
    var results: [TestResult] = []
    for name in receivers {
      guard let outcome = await call.server.alertPostbox.test(name, of: settings) else { continue }
      results.append(TestResult(channel: name, outcome: outcome))
    }
    return Answer(testFields, results)
  }
}
