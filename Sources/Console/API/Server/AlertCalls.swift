internal import Alerts
internal import Budgets
internal import Configuration
internal import JSON
internal import Ledger
internal import Time

/// The alerts that were sent, and whether each arrived.
enum AlertCalls {
  static var routes: [APIRoute] {
    [
      APIRoute(
        .get, "/api/admin/alerts", .viewer, "Lists alerts and the state of their deliveries",
        query: LogCalls.parameters(filters.map(\.name)), answers: .ok(.page(of: schema)),
        handler: list),
      APIRoute(
        .post, "/api/admin/alerts/test", .admin,
        "Sends a test alert through one channel, or through all",
        body: (["channel": .plainText] as Fields).clearable, answers: .ok(testSchema),
        handler: test),
    ]
  }

  private static let filters: [(name: String, column: AlertColumn)] = [
    ("client", .client), ("budget", .budget),
  ]

  private static let schema = JSONSchema.named(
    "Alert",
    .object([
      "id": .anyText, "budget_id": .anyText, "subject": .anyText,
      "window_start": .instant, "threshold": .integer(1...100).orNull, "unit": .anyText,
      "limit_value": .count, "used": .count, "deliveries": .list(of: .object(delivery)),
      "created_at": .instant,
    ]))
  private static let delivery: Fields = [
    "channel": .anyText, "status": .anyText, "attempts": .count,
    "last_error": .anyText.orNull, "delivered_at": .instant.orNull,
  ]
  private static let testSchema = JSONSchema.object([
    "results": .list(
      of: .object(["channel": .anyText, "delivered": .boolean, "detail": .anyText]))
  ])

  private static func list(_ call: Call) throws(APIError) -> Answer {
    let conditions = try call.query.conditions(filters)
    return try LogCalls.answer(
      call,
      { reader, range throws(LedgerError) in
        try reader.alertLog(where: conditions, range)
      }
    ) { entry, data in write(entry.content, to: &data) }
  }

  private static func write(_ history: AlertHistory, to data: inout JSONWriter) {
    let alert = history.alert
    data.object { object in
      object.member("id", history.id)
      object.member("budget_id", "\(alert.budgetID)")
      object.member("subject", alert.subject)
      object.member("window_start", alert.window.start.rfc3339)
      object.member("threshold", optional: alert.percent.map { Int64($0) })
      object.member("unit", alert.unit.recordedName)
      object.member("limit_value", alert.limitValue)
      object.member("used", alert.used)
      object.member("deliveries") { list in
        list.array { list in
          for delivery in history.deliveries { write(delivery, to: &list) }
        }
      }
      object.member("created_at", alert.createdAt.rfc3339)
    }
  }

  private static func write(_ delivery: AlertDeliveryStatus, to list: inout JSONWriter) {
    list.object { object in
      object.member("channel", delivery.channel)
      object.member("status", delivery.state.rawValue)
      object.member("attempts", Int64(delivery.attempts))
      object.member("last_error", delivery.lastError)
      object.member("delivered_at", delivery.deliveredAt?.rfc3339)
    }
  }

  private static func test(_ call: Call) async throws(APIError) -> Answer {
    let body = try call.body()
    let settings = call.settings.alerts
    let names = settings.channelNames
    let asked = try body.text("channel")
    if let asked, !names.contains(asked) {
      throw .invalidValue(
        "channel",
        allowed: names.isEmpty
          ? "none, no channel is configured" : names.joined(separator: ", "))
    }
    let receivers = asked.map { [$0] } ?? names
    try call.claimKeyBeforeActing(for: AlertQueue.timeout * receivers.count)
    var results: [(channel: String, outcome: AlertQueue.Outcome)] = []
    for name in receivers {
      guard let outcome = await call.server.alertPostbox.test(name, of: settings) else { continue }
      results.append((name, outcome))
    }
    return Answer { body in
      body.object { body in
        body.member("results") { list in
          list.array { list in
            for result in results {
              list.object { object in
                object.member("channel", result.channel)
                object.member("delivered", result.outcome.isDelivered)
                object.member("detail", result.outcome.detail)
              }
            }
          }
        }
      }
    }
  }
}
