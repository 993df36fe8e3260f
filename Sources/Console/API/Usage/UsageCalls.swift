internal import Budgets
internal import Configuration
internal import JSON
internal import Ledger
internal import Money
internal import Time

/// `/api/usage/…`: a client's usage, and whether it may use more.
enum UsageCalls {
  static var routes: [APIRoute] {
    [
      APIRoute(
        .get, "/api/usage/summary", .key, "Shows a client's use by day",
        query: [
          .client,
          QueryParameter("days", "the number of days, 1 to 366; 30 by default", .integer(1...366)),
        ],
        answers: .ok(summaryFields.schema), handler: summary),
      APIRoute(
        .get, "/api/usage/current-period", .key,
        "Shows a client's use in the current period of its plan",
        query: [.client], answers: .ok(periodFields.schema), handler: currentPeriod),
      APIRoute(
        .get, "/api/usage/check", .key, "Tells whether a client may use a number of tokens",
        query: [
          .client,
          QueryParameter(
            "tokens", "the number of tokens; 1 by default",
            .integer(Credit.Amount.tokenCounts)),
          QueryParameter("user", "the client's own end user"),
        ], answers: .ok(checkFields.schema), handler: check),
    ]
  }

  // MARK: Summary

  private struct Day {
    let usage: DailyUsage
    /// In nano-dollars; nil if the caller may not see it.
    let providerNanoUSD: Int64?
  }

  private struct Summary {
    let client: Client
    let dayCount: Int
    /// The days on which the client used something.
    let days: [Day]

    func sum(_ figure: (DailyUsage) -> Int64) -> Int64 { days.map(\.usage).sum(figure) }

    var providerNanoUSD: Int64? {
      days.reduce(0) { sum, day in
        sum.flatMap { sum in day.providerNanoUSD.map(sum.addingSaturated) }
      }
    }
  }

  private static let summaryFields =
    ([
      .field("client_id", \.client.id), .field("period_days", \.dayCount),
      .field("total_tokens") { $0.sum(\.totalTokens) },
      .field("total_conversations") { $0.sum(\.conversations) },
      .field("total_calls") { $0.sum(\.calls) },
      .field("total_cost_usd") { dollars($0.sum(\.costNanoUSD)) },
    ]
    + ProviderCosts.fields("total_") {
      ProviderCosts(chargedNanoUSD: $0.sum(\.costNanoUSD), providerNanoUSD: $0.providerNanoUSD)
    } + [.list("daily_usage", of: dayFields, \.days)] as AnswerFields<Summary>)
    .named("UsageSummary")

  private static let dayFields: AnswerFields<Day> =
    [
      .field("date", as: .date, \.usage.day.description),
      .field("tokens_input", \.usage.inputTokens), .field("tokens_output", \.usage.outputTokens),
      .field("tokens_total", \.usage.totalTokens),
      .field("conversations_count", \.usage.conversations),
      .field("api_calls_count", \.usage.calls),
      .field("cost_usd") { dollars($0.usage.costNanoUSD) },
    ]
    + ProviderCosts.fields {
      ProviderCosts(chargedNanoUSD: $0.usage.costNanoUSD, providerNanoUSD: $0.providerNanoUSD)
    }

  private static func summary(_ call: Call) throws(APIError) -> Answer {
    let client = try call.clientOfQuery()
    let count = Int(try call.query.integer("days", in: 1...366) ?? 30)
    let today = client.timeZone.civilDate(of: call.now)
    let span = today.adding(days: 1 - count)...today
    let days = try usage(of: client, from: span.lowerBound, through: today, call)
    let providerCosts =
      try call.showsProviderCosts ? providerCosts(of: client, in: span, call) : nil
    return Answer(
      summaryFields,
      Summary(
        client: client, dayCount: count,
        days: days.map { day in
          Day(usage: day, providerNanoUSD: providerCosts.map { $0[day.day] ?? 0 })
        }))
  }

  private static func usage(
    of client: Client, from first: CivilDate, through last: CivilDate, _ call: Call
  ) throws(APIError) -> [DailyUsage] {
    try call.read { reader throws(LedgerError) in
      try reader.dailyUsage(ofClient: client.id, from: first, through: last)
    }
  }

  /// The providers' cost of each day of a client, in nano-dollars.
  private static func providerCosts(
    of client: Client, in days: ClosedRange<CivilDate>, _ call: Call
  ) throws(APIError) -> [CivilDate: Int64] {
    let zone = client.timeZone
    let query = UsageQuery(
      by: .day, where: [.client: client.id], since: zone.startOfDay(days.lowerBound),
      until: zone.startOfDay(days.upperBound.adding(days: 1)), zone: zone)
    let totals = try call.read { reader throws(LedgerError) in try reader.usageTotals(of: query) }
    var costs: [CivilDate: Int64] = [:]
    for total in totals {
      guard let day = total.key.flatMap({ CivilDate($0) }) else { continue }
      costs[day] = (costs[day] ?? 0).addingSaturated(total.providerCostNanoUSD)
    }
    return costs
  }

  private static func dollars(_ nanoUnits: Int64) -> Money {
    Money(nanoUnits: nanoUnits, currency: .usd)
  }

  // MARK: The plan's period

  private struct CurrentPeriod {
    let client: Client
    let isSubscribed: Bool
    let period: PlanPeriod
  }

  private static let periodFields =
    ([
      .field("client_id", \.client.id), .field("has_subscription", \.isSubscribed),
      .field("plan_name", \.period.plan?.displayName), .field("plan_id", \.period.plan?.name),
      .field("status") { $0.isSubscribed ? $0.client.planStatus.rawValue : "trial" },
      .field("tokens_used", \.period.tokens), .field("tokens_limit", \.period.limit),
      .field("tokens_remaining", \.period.remaining),
      .field("percentage_used") { Permille($0.period.permille) },
      .field("conversations_used", \.period.conversations),
      .field("conversations_limit") { $0.period.plan?.monthlyConversations },
      .field("period_start", as: .instant) {
        $0.client.timeZone.rfc3339($0.period.window.start)
      },
      .field("period_end", as: .instant.orNull) {
        $0.period.window.end.map($0.client.timeZone.rfc3339)
      },
      .field("is_over_limit", \.period.isOverLimit),
    ] as AnswerFields<CurrentPeriod>).named("CurrentPeriod")

  private static func currentPeriod(_ call: Call) throws(APIError) -> Answer {
    let client = try call.clientOfQuery()
    return Answer(
      periodFields,
      CurrentPeriod(
        client: client, isSubscribed: client.isSubscribed(besides: call.clients.defaultPlan),
        period: try PlanPeriod(of: client, call)))
  }

  // MARK: May more be used?

  private struct Check {
    /// Why the client may not use more; nil if it may.
    var refusal: String?
    /// Nil if the ledger fails and requests pass all the same.
    var state: (client: Client, period: PlanPeriod, credits: Int64)?

    var isKnown: Bool { state != nil }
  }

  private static let checkFields =
    ([
      .field("allowed") { $0.refusal == nil },
      .field("reason") { $0.isKnown ? $0.refusal : "error_checking" },
      .field("tokens_remaining") { $0.state?.period.remaining }.shown(\.isKnown),
      .field("extra_credits", as: .count) { $0.state?.credits }.shown(\.isKnown),
      .field("total_available") { check in
        check.state.flatMap { state in state.period.remaining.map { $0 + state.credits } }
      }.shown(\.isKnown),
      .field("percentage_used", as: .number) { $0.state.map { Permille($0.period.permille) } }
        .shown(\.isKnown),
      .field("is_over_limit", as: .boolean) { $0.state?.period.isOverLimit }.shown(\.isKnown),
      .field("resets_at", as: .instant.orNull) { check in
        check.state.flatMap { $0.period.window.end.map($0.client.timeZone.rfc3339) }
      }.shown(\.isKnown),
    ] as AnswerFields<Check>).named("UsageCheck")

  private static func check(_ call: Call) throws(APIError) -> Answer {
    let client = try call.clientOfQuery()
    let tokens = try call.query.integer("tokens", in: Credit.Amount.tokenCounts) ?? 1
    let caller = Caller(
      client: client.id, key: call.ownKey?.name ?? "", user: try call.query.text("user") ?? "",
      conversation: "", model: "")
    let now = call.now
    let (statuses, isKnownToHaveNoConversations) = call.server.readBudgets { budgets in
      (
        budgets.statuses(for: caller, at: now),
        budgets.hasNoConversationsLeft(for: client.id, at: now)
      )
    }
    let period: PlanPeriod
    let credits: Int64
    do throws(APIError) {
      // A ledger that can't be written decides about requests the same way as one that can't be
      // read.
      guard call.server.isLedgerHealthy else { throw .ledgerUnavailable }
      period = try PlanPeriod(of: client, call)
      credits = try extraCredits(of: client, call)
    } catch {
      guard call.settings.ledger.onFailure == .allow else { throw error }
      return Answer(checkFields, Check())
    }
    let refusals = statuses.lazy.filter { applies($0, to: caller) }
      .compactMap { refusal(of: tokens, by: $0) }
    // The last conversation may have begun at another replica, which only the ledger knows.
    let hasNoConversations = isKnownToHaveNoConversations || period.hasNoConversationsLeft
    let reason =
      client.isPaused || refusals.contains("paused")
      ? "paused" : refusals.first ?? (hasNoConversations ? "conversation_limit" : nil)
    return Answer(checkFields, Check(refusal: reason, state: (client, period, credits)))
  }

  /// The tokens that the client's credits can still pay for.
  private static func extraCredits(of client: Client, _ call: Call) throws(APIError) -> Int64 {
    let credits = try call.read { reader throws(LedgerError) in
      try reader.credits(ofClient: client.id)
    }
    return credits.reduce(0) { sum, credit in
      if let end = credit.expiresAt, end <= call.now { return sum }
      return min(BudgetLimit.largestTokens, sum + (credit.remaining.tokens ?? 0))
    }
  }

  /// Whether a budget applies to the caller. The query names no conversation and no model, so their
  /// budgets don't apply. A budget of keys applies only if a key asks.
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
    if let remaining = status.remainingTokens, remaining < tokens, !status.isWidenedByMoney {
      return "token_limit"
    }
    if let remaining = status.remainingCost, remaining.nanoUnits <= 0 { return "cost_limit" }
    return nil
  }
}
