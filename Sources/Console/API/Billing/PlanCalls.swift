internal import Configuration
internal import JSON
internal import Ledger
internal import Money

/// `/api/admin/plans`: the plans that clients subscribe to.
enum PlanCalls {
  private static let path = "/api/admin/plans"

  static var routes: [APIRoute] {
    [
      APIRoute(
        .get, path, .viewer, "Lists the plans", query: QueryParameter.page,
        answers: .ok(.page(of: schema)), handler: list),
      APIRoute(
        .post, path, .admin, "Creates a plan", body: ["name": .name] + PlanFields.fields,
        answers: .created(schema), handler: create),
      APIRoute(
        .get, path + "/{plan}", .viewer, "Shows a plan", answers: .ok(schema),
        handler: show),
      APIRoute(
        .patch, path + "/{plan}", .admin, "Changes a plan", body: PlanFields.fields,
        answers: .ok(schema), handler: update),
      APIRoute(
        .delete, path + "/{plan}", .admin, "Removes a plan without clients", answers: .removed,
        handler: remove),
    ]
  }

  // MARK: Reading

  private static func list(_ call: Call) throws(APIError) -> Answer {
    let after = try call.query.text("after") ?? ""
    let limit = try call.query.limit()
    let plans = call.clients.plans.values.filter { $0.name > after }.sorted { $0.name < $1.name }
    return Page(plans, limit: limit, cursor: \.name).answer { plan, data in
      write(plan, to: &data)
    }
  }

  private static func show(_ call: Call) throws(APIError) -> Answer {
    try answer(call.parameter("plan"), call)
  }

  private static func answer(
    _ name: String, _ call: Call, status: Int = 200
  ) throws(APIError) -> Answer {
    guard let plan = call.server.clients.plans[name] else { throw .notFound("plan \(name)") }
    return Answer(status: status) { write(plan, to: &$0) }
  }

  private static let schema = JSONSchema.named(
    "Plan",
    .object([
      "name": .anyText, "display_name": .anyText, "source": .source,
      "monthly_tokens": .count.orNull, "monthly_conversations": .count.orNull,
      "billing": .either([
        .object([
          "currency": .currency, "fixed_fee": .money, "included_tokens": .count,
          "overage": .object(["every_tokens": .count, "charge": .money]).orNull,
        ]),
        .object([
          "currency": .currency, "fixed_fee": .money, "included_cost": .money,
          "overage": .object(["every_cost": .money, "charge": .money]).orNull,
        ]), .null,
      ]),
      "markup": .markup.orNull,
    ]))

  private static func write(_ plan: Plan, to writer: inout JSONWriter) {
    writer.object { object in
      object.member("name", plan.name)
      object.member("display_name", plan.displayName)
      object.member("source", plan.line == nil ? "api" : "file")
      object.member("monthly_tokens", optional: plan.monthlyTokens)
      object.member("monthly_conversations", optional: plan.monthlyConversations)
      object.member("billing") { member in
        guard let billing = plan.billing else { return member.null() }
        member.object { billing.writeMembers(to: &$0) }
      }
      object.member("markup", plan.markup?.description)
    }
  }

  // MARK: Changing

  private static func create(_ call: Call) async throws(APIError) -> Answer {
    let body = try call.body()
    let name = try body.require("name", try body.name("name"))
    // This check covers the file. The ledger checks its own records, and recognizes a repetition of
    // this call.
    if call.clients.plans[name]?.line != nil { throw .alreadyExists("a plan \(name)") }
    var plan = StoredPlan(
      name: name, displayName: name, monthlyTokens: nil, monthlyConversations: nil, billing: nil,
      createdAt: call.now)
    try PlanFields(body, call.settings.rates).apply(to: &plan)
    let made = plan
    try await call.change { editor throws(LedgerError) in try editor.create(made) }
    return try answer(name, call, status: 201)
  }

  private static func update(_ call: Call) async throws(APIError) -> Answer {
    let name = try changeable(call)
    let body = try call.body()
    let fields = try PlanFields(body, call.settings.rates)
    try await call.change { editor throws(LedgerError) in
      try editor.updatePlan(name) { fields.apply(to: &$0) }
    }
    return try answer(name, call)
  }

  private static func remove(_ call: Call) async throws(APIError) -> Answer {
    let name = try changeable(call)
    if let user = call.clients.clients.first(where: { $0.plan == name }) {
      throw .inUse("Plan \(name)", by: "client \(user.id)")
    }
    try await call.change { editor throws(LedgerError) in try editor.removePlan(name) }
    return .removed
  }

  /// The plan that the path names. Throws if `clients.yaml` declares it.
  private static func changeable(_ call: Call) throws(APIError) -> String {
    let name = call.parameter("plan")
    guard let plan = call.clients.plans[name] else { throw .notFound("plan \(name)") }
    if let line = plan.line { throw .declaredInFile("Plan \(name)", line: line) }
    return name
  }
}
