internal import Budgets
internal import Configuration
internal import JSON
internal import Ledger
internal import Money
internal import Pricing
internal import Time

/// `GET /api/budget/status`: the state of the budgets that would apply to a request.
enum BudgetStatusCalls {
  static var routes: [APIRoute] {
    [
      APIRoute(
        .get, "/api/budget/status", .key, "Shows the budgets that would apply to a request",
        query: [
          .client, QueryParameter("user", "the client's own end user"),
          QueryParameter("conversation", "the request's conversation"),
          QueryParameter("model", "the request's model"),
        ], answers: .ok(schema), handler: status)
    ]
  }

  /// The fields of the tightest budget. Without a budget, those of its definition are null.
  static let tightest = BudgetJSON.fields.without("client_id")

  private static let schema = JSONSchema.named(
    "BudgetStatus",
    .object(
      [
        "client_id": .anyText, "has_budget": .boolean,
        "budgets": .list(of: BudgetJSON.fields.schema), "by_operation": .list(of: operation.schema),
      ] + tightest.schemas.clearable))

  /// An operation's use, and its share of the whole.
  private struct OperationShare {
    let total: UsageTotal
    let permille: Int
  }

  private static let operation: AnswerFields<OperationShare> = [
    .field("operation", as: .anyText, \.total.key), .field("requests", \.total.requests),
    .field("tokens_total", \.total.totalTokens), .field("cost", \.total.cost),
    .field("cost_usd") { Money(nanoUnits: $0.total.costNanoUSD, currency: .usd) },
    .field("percentage") { Permille($0.permille) },
  ]

  private static func status(_ call: Call) throws(APIError) -> Answer {
    let client = try call.clientOfQuery()
    let model = try call.query.text("model")
    // Budgets count requests under the model's own name, also if a request names an alias.
    let known = model.flatMap { call.server.model($0, of: nil, for: client.id)?.name }
    let caller = Caller(
      client: client.id, key: call.ownKey?.name ?? "",
      user: try call.query.text("user") ?? "",
      conversation: try call.query.text("conversation") ?? "",
      model: known ?? model ?? "")
    let now = call.now
    let (all, isKnownToHaveNoConversations) = call.server.readBudgets { budgets in
      (
        budgets.statuses(for: caller, at: now),
        budgets.hasNoConversationsLeft(for: client.id, at: now)
      )
    }
    // The last conversation may have begun at another replica, which only the ledger knows.
    let hasNoConversations =
      isKnownToHaveNoConversations
      ? true : try PlanPeriod(of: client, call).hasNoConversationsLeft
    let statuses = all.filter { $0.definition.per != .key || !caller.key.isEmpty }
    let forms = try BudgetJSON.forms(statuses.sorted(by: isTighter), call)
    let start = forms.first?.status.window.start ?? startOfMonth(client, at: now)
    let reason =
      client.isPaused
      ? "manual"
      : forms.first?.pauseReason ?? (hasNoConversations ? "conversation_limit" : nil)
    let operations = try use(of: client, since: start, call)
    return Answer { body in
      body.object { body in
        body.member("client_id", client.id)
        body.member("has_budget", !forms.isEmpty)
        if var first = forms.first {
          first.pauseReason = reason
          tightest.writeMembers(of: first, to: &body)
        } else {
          NoBudgetJSON(
            of: client, pauseReason: reason, uses: operations,
            billing: call.settings.rates.billing, at: now
          ).writeMembers(to: &body)
        }
        body.member("budgets") { BudgetJSON.fields.write(forms, to: &$0) }
        body.member("by_operation") { operation.write(shares(of: operations), to: &$0) }
      }
    }
  }

  /// Orders paused budgets first, then by how close they are to their limits.
  static func isTighter(_ left: AccountStatus, _ right: AccountStatus) -> Bool {
    let isPaused = (left: left.pause != nil, right: right.pause != nil)
    if isPaused.left != isPaused.right { return isPaused.left }
    let permille = (left: left.share?.permille ?? -1, right: right.share?.permille ?? -1)
    if permille.left != permille.right { return permille.left > permille.right }
    return left.definition.id.description < right.definition.id.description
  }

  private static func startOfMonth(_ client: Client, at now: Timestamp) -> Timestamp {
    BudgetWindow(of: .monthly, containing: now, in: client.timeZone).start
  }

  // MARK: By operation

  private static func use(
    of client: Client, since start: Timestamp, _ call: Call
  ) throws(APIError) -> [UsageTotal] {
    let query = UsageQuery(
      by: .operation, where: [.client: client.id], since: start, zone: client.timeZone)
    let totals = try call.read { reader throws(LedgerError) in
      try reader.usageTotals(of: query)
    }
    return totals.merged(in: call.settings.rates.billing).sorted { $0.costNanoUSD > $1.costNanoUSD }
  }

  /// Each operation's share of the cost. If nothing cost anything, the shares are of the tokens.
  private static func shares(of totals: [UsageTotal]) -> [OperationShare] {
    let cost = totals.reduce(Int128(0)) { $0 + Int128($1.costNanoUSD) }
    let tokens = totals.reduce(Int128(0)) { $0 + Int128($1.totalTokens) }
    return totals.map { total in
      let part = cost > 0 ? Int128(total.costNanoUSD) : Int128(total.totalTokens)
      let whole = cost > 0 ? cost : tokens
      return OperationShare(
        total: total, permille: whole > 0 ? Int(clamping: part * 1000 / whole) : 0)
    }
  }
}
