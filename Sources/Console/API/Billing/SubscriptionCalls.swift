internal import Budgets
internal import Configuration
internal import Ledger
internal import Time

/// `/api/admin/clients/ID/subscription`: the plan of a client, and when it began.
enum SubscriptionCalls {
  private static let path = "/api/admin/clients/{client}/subscription"

  static var routes: [APIRoute] {
    [
      APIRoute(
        .get, path, .viewer, "Shows a client's subscription", answers: .ok(fields.schema),
        handler: show),
      APIRoute(
        .post, path, .admin, "Puts a client on a plan; a current period continues",
        body: Fields(required: [plan], optional: [start(in: .utc)]), answers: .ok(fields.schema),
        handler: subscribe),
      APIRoute(
        .delete, path, .admin, "Puts a client back on the default plan", answers: .removed,
        handler: unsubscribe),
    ]
  }

  static let plan = BodyField("plan", .name)
  private static func start(in zone: TimeZoneRules) -> BodyField<Timestamp> {
    BodyField("start", .moment(in: zone))
  }

  /// A client on a plan, and its use in the plan's current period.
  private struct Row {
    let client: Client
    let plan: String
    let start: Timestamp
    let use: PlanPeriod

    func local(_ instant: Timestamp) -> String { client.timeZone.rfc3339(instant) }
  }

  private static let fields =
    ([
      .field("client_id", \.client.id), .field("plan", \.plan),
      .choice("status", \.client.planStatus),
      .field("started_at", as: .instant) { $0.local($0.start) },
      .field("current_period_start", as: .instant) { $0.local($0.use.window.start) },
      .field("current_period_end", as: .instant.orNull) { $0.use.window.end.map($0.local) },
      .field("tokens_used_this_period", \.use.tokens),
      .field("conversations_used_this_period", \.use.conversations),
    ] as AnswerFields<Row>).named("Subscription")

  // MARK: Reading

  private static func show(_ call: Call) throws(APIError) -> Answer {
    try answer(try call.client(call.parameter("client")), call)
  }

  private static func answer(_ client: Client, _ call: Call) throws(APIError) -> Answer {
    guard client.isSubscribed(besides: call.clients.defaultPlan), let plan = client.plan else {
      throw .notFound("subscription of client \(client.id): it is on the default plan")
    }
    let use = try PlanPeriod(of: client, call)
    let start = client.subscription.map { client.timeZone.startOfDay($0.startedOn) }
    return Answer(
      fields, Row(client: client, plan: plan, start: start ?? use.window.start, use: use))
  }

  // MARK: Changing

  private static func subscribe(_ call: Call) async throws(APIError) -> Answer {
    let client = try changeable(call)
    let body = try call.body()
    let plan = try body.require("plan", try plan(in: body, call))
    let zone = client.timeZone
    let today = zone.civilDate(of: call.now)
    let start = try body.read(start(in: zone)).map { zone.civilDate(of: $0) } ?? today
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
    guard let name = try body.read(plan) else { return nil }
    guard call.clients.plans[name] != nil else {
      let known = call.clients.plans.keys.sorted().joined(separator: ", ")
      throw .invalidValue("plan", allowed: known.isEmpty ? "none, there is no plan" : known)
    }
    return name
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
