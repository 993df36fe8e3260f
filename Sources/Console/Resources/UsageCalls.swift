internal import Budgets
internal import Configuration
internal import JSON
internal import Ledger
internal import Money
internal import Time

/// `/api/usage/…`: what a client used, and whether it may use more.
enum UsageCalls {
  private static let largestTokens: Int64 = 1 << 53

  static var routes: [Route] {
    [
      Route(
        .get, "/api/usage/summary", .key, "What a client used, day by day",
        query: [.client, QueryParameter("days", "how many days, 1 to 366; 30 by default")],
        handler: summary),
      Route(
        .get, "/api/usage/current-period", .key, "What a client used of its plan's period",
        query: [.client], handler: currentPeriod),
      Route(
        .get, "/api/usage/check", .key, "Whether so many tokens may be used",
        query: [
          .client, QueryParameter("tokens", "how many; 1 by default"),
          QueryParameter("user", "the client's own end user"),
        ], handler: check),
    ]
  }

  // MARK: Summary

  private static func summary(_ call: Call) throws(APIError) -> Answer {
    let client = try call.clientOfQuery()
    let count = Int(try call.query.integer("days", in: 1...366) ?? 30)
    let today = client.timeZone.civilDate(of: call.now)
    let days = try usage(of: client, from: today.adding(days: 1 - count), through: today, call)
    return Answer { body in
      body.object { body in
        body.member("client_id", client.id)
        body.member("period_days", Int64(count))
        body.member("total_tokens", days.sum(\.totalTokens))
        body.member("total_conversations", days.sum(\.conversations))
        body.member("total_calls", days.sum(\.calls))
        body.member("total_cost_usd", dollars(days.sum(\.costNanoUSD)))
        body.member("daily_usage") { list in
          list.array { list in for day in days { write(day, to: &list) } }
        }
      }
    }
  }

  private static func write(_ day: DailyUsage, to writer: inout JSONWriter) {
    writer.object { object in
      object.member("date", day.day.description)
      object.member("tokens_input", day.inputTokens)
      object.member("tokens_output", day.outputTokens)
      object.member("tokens_total", day.totalTokens)
      object.member("conversations_count", day.conversations)
      object.member("api_calls_count", day.calls)
      object.member("cost_usd", dollars(day.costNanoUSD))
    }
  }

  private static func usage(
    of client: Client, from first: CivilDate, through last: CivilDate, _ call: Call
  ) throws(APIError) -> [DailyUsage] {
    try call.read { reader throws(LedgerError) in
      try reader.dailyUsage(ofClient: client.id, from: first, through: last)
    }
  }

  private static func dollars(_ nanoUnits: Int64) -> String {
    Money(nanoUnits: nanoUnits, currency: .usd).decimalText
  }

  // MARK: The plan's period

  /// What a client used of its plan this calendar month.
  private struct Period {
    let plan: Plan?
    let window: BudgetWindow
    let tokens: Int64
    let conversations: Int64

    var limit: Int64? { plan?.monthlyTokens }
    var isOverLimit: Bool { limit.map { tokens > $0 } ?? false }
    var remaining: Int64? { limit.map { max(0, $0 - tokens) } }
    var permille: Int { limit.map { Share(used: tokens, limit: $0).permille } ?? 0 }
  }

  private static func period(of client: Client, _ call: Call) throws(APIError) -> Period {
    let today = client.timeZone.civilDate(of: call.now)
    let days = try usage(of: client, from: today.adding(days: 1 - today.day), through: today, call)
    return Period(
      plan: client.plan.flatMap { call.clients.plans[$0] },
      window: BudgetWindow(of: .monthly, containing: call.now, in: client.timeZone),
      tokens: days.sum(\.totalTokens), conversations: days.sum(\.conversations))
  }

  private static func currentPeriod(_ call: Call) throws(APIError) -> Answer {
    let client = try call.clientOfQuery()
    let period = try period(of: client, call)
    let isSubscribed = client.plan != nil && client.plan != call.clients.defaultPlan
    let zone = client.timeZone
    return Answer { body in
      body.object { body in
        body.member("client_id", client.id)
        body.member("has_subscription", isSubscribed)
        body.member("plan_name", period.plan?.displayName)
        body.member("plan_id", period.plan?.name)
        body.member("status", isSubscribed ? "active" : "trial")
        body.member("tokens_used", period.tokens)
        body.member("tokens_limit", optional: period.limit)
        body.member("tokens_remaining", optional: period.remaining)
        body.member("percentage_used", permille: period.permille)
        body.member("conversations_used", period.conversations)
        body.member("conversations_limit", optional: period.plan?.monthlyConversations)
        body.member("period_start", zone.rfc3339(period.window.start))
        body.member("period_end", period.window.end.map(zone.rfc3339))
        body.member("is_over_limit", period.isOverLimit)
      }
    }
  }

  // MARK: May more be used?

  private static func check(_ call: Call) throws(APIError) -> Answer {
    let client = try call.clientOfQuery()
    let tokens = try call.query.integer("tokens", in: 1...largestTokens) ?? 1
    let caller = Caller(
      client: client.id, key: call.ownKey?.name ?? "", user: try call.query.text("user") ?? "",
      conversation: "", model: "")
    let now = call.now
    let statuses = call.server.readBudgets { $0.statuses(for: caller, at: now) }
      .filter { applies($0, to: caller) }
    let period: Period
    do {
      period = try self.period(of: client, call)
    } catch {
      guard call.settings.ledger.onFailure == .allow else { throw error }
      return Answer { body in
        body.object { body in
          body.member("allowed", true)
          body.member("reason", "error_checking")
        }
      }
    }
    let reason =
      client.status == .suspended
      ? "paused" : statuses.lazy.compactMap { refusal(of: tokens, by: $0) }.first
    return Answer { body in
      body.object { body in
        body.member("allowed", reason == nil)
        body.member("reason", reason)
        body.member("tokens_remaining", optional: period.remaining)
        body.member("extra_credits", 0)
        body.member("total_available", optional: period.remaining)
        body.member("percentage_used", permille: period.permille)
        body.member("is_over_limit", period.isOverLimit)
        body.member("resets_at", period.window.end.map(client.timeZone.rfc3339))
      }
    }
  }

  /// Nothing is known of a request's key, conversation or model where the question names none.
  private static func applies(_ status: AccountStatus, to caller: Caller) -> Bool {
    switch status.definition.per {
    case .client, .user: true
    case .key: !caller.key.isEmpty
    case .conversation, .model: false
    }
  }

  private static func refusal(of tokens: Int64, by status: AccountStatus) -> String? {
    if status.pause == .manual { return "paused" }
    guard status.definition.enforcement != .shadow else { return nil }
    if let remaining = status.remainingTokens, remaining < tokens { return "token_limit" }
    if let remaining = status.remainingCost, remaining.nanoUnits <= 0 { return "cost_limit" }
    return nil
  }
}

extension [DailyUsage] {
  /// A sum that stops at the largest number there is.
  fileprivate func sum(_ figure: (DailyUsage) -> Int64) -> Int64 {
    reduce(0) { sum, day in
      let (total, overflow) = sum.addingReportingOverflow(figure(day))
      return overflow ? .max : total
    }
  }
}
