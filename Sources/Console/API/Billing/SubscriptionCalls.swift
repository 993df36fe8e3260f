internal import Budgets
internal import Configuration
internal import JSON
internal import Ledger
internal import Time

/// `/api/admin/clients/ID/subscription`: the plan of a client, and when it began.
enum SubscriptionCalls {
  private static let path = "/api/admin/clients/{client}/subscription"

  static var routes: [APIRoute] {
    [
      APIRoute(
        .get, path, .viewer, "Shows a client's subscription", answers: .ok(schema),
        handler: show),
      APIRoute(
        .post, path, .admin, "Puts a client on a plan; a current period continues",
        body: ["plan": .name] + (["start": .moment] as Fields).clearable, answers: .ok(schema),
        handler: subscribe),
      APIRoute(
        .delete, path, .admin, "Puts a client back on the default plan", answers: .removed,
        handler: unsubscribe),
    ]
  }

  private static let schema = JSONSchema.named(
    "Subscription",
    .object([
      "client_id": .anyText, "plan": .anyText,
      "status": .choice(of: Subscription.Status.self), "started_at": .instant,
      "current_period_start": .instant, "current_period_end": .instant.orNull,
      "tokens_used_this_period": .count, "conversations_used_this_period": .count,
    ]))

  // MARK: Reading

  private static func show(_ call: Call) throws(APIError) -> Answer {
    try answer(try call.client(call.parameter("client")), call)
  }

  private static func answer(_ client: Client, _ call: Call) throws(APIError) -> Answer {
    guard client.isSubscribed(besides: call.clients.defaultPlan), let plan = client.plan else {
      throw .notFound("subscription of client \(client.id): it is on the default plan")
    }
    let use = try PlanPeriod(of: client, call)
    let zone = client.timeZone
    let start = client.subscription.map { zone.startOfDay($0.startedOn) } ?? use.window.start
    return Answer { body in
      body.object { body in
        body.member("client_id", client.id)
        body.member("plan", plan)
        body.member("status", client.planStatus.rawValue)
        body.member("started_at", zone.rfc3339(start))
        body.member("current_period_start", zone.rfc3339(use.window.start))
        body.member("current_period_end", use.window.end.map(zone.rfc3339))
        body.member("tokens_used_this_period", use.tokens)
        body.member("conversations_used_this_period", use.conversations)
      }
    }
  }

  // MARK: Changing

  private static func subscribe(_ call: Call) async throws(APIError) -> Answer {
    let client = try changeable(call)
    let body = try call.body()
    let plan = try body.require("plan", try plan(in: body, call))
    let zone = client.timeZone
    let today = zone.civilDate(of: call.now)
    let start = try body.moment("start", in: zone).map { zone.civilDate(of: $0) } ?? today
    guard start <= today else {
      throw .invalidValue("start", allowed: "today, \(today), or an earlier day")
    }
    try await call.change { editor throws(LedgerError) in
      try editor.subscribe(client.id, to: plan, startedOn: start)
    }
    guard let changed = call.server.clients.client(client.id) else {
      throw .notFound("client \(client.id)")
    }
    return try answer(changed, call)
  }

  private static func unsubscribe(_ call: Call) async throws(APIError) -> Answer {
    let client = try changeable(call)
    try await call.change { editor throws(LedgerError) in try editor.unsubscribe(client.id) }
    return .removed
  }

  /// The client that the path names. Throws if `clients.yaml` declares its plan.
  private static func changeable(_ call: Call) throws(APIError) -> Client {
    let client = try call.client(call.parameter("client"))
    if client.declaresPlan, let line = client.line {
      throw .declaredInFile("The plan of client \(client.id)", line: line)
    }
    return client
  }

  /// The plan that a body names; nil if it names none. Throws if the plan doesn't exist.
  static func plan(in body: Body, _ call: Call) throws(APIError) -> String? {
    guard let plan = try body.name("plan") else { return nil }
    guard call.clients.plans[plan] != nil else {
      let known = call.clients.plans.keys.sorted().joined(separator: ", ")
      throw .invalidValue("plan", allowed: known.isEmpty ? "none, there is no plan" : known)
    }
    return plan
  }

  static func today(in zone: String, _ call: Call) -> CivilDate {
    (TimeZoneRules(identifier: zone) ?? .utc).civilDate(of: call.now)
  }
}

extension Client {
  /// Whether the client was put on a plan other than the default plan.
  func isSubscribed(besides defaultPlan: String?) -> Bool {
    subscription != nil || (plan != nil && plan != defaultPlan)
  }

  var planStatus: Subscription.Status { subscription?.status ?? .active }
}
