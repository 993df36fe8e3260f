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
        answers: .ok(.page(of: fields.schema)), handler: list),
      APIRoute(
        .post, path, .admin, "Creates a plan", body: Fields(required: [name]) + PlanFields.schemas,
        answers: .created(fields.schema), handler: create),
      APIRoute(
        .get, path + "/{plan}", .viewer, "Shows a plan", answers: .ok(fields.schema),
        handler: show),
      APIRoute(
        .patch, path + "/{plan}", .admin, "Changes a plan", body: PlanFields.schemas,
        answers: .ok(fields.schema), handler: update),
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
    return Page(plans, limit: limit, cursor: \.name).answer(fields.visible(to: call))
  }

  private static func show(_ call: Call) throws(APIError) -> Answer {
    try answer(call.parameter("plan"), call)
  }

  private static func answer(
    _ name: String, _ call: Call, status: Int = 200
  ) throws(APIError) -> Answer {
    guard let plan = call.server.clients.plans[name] else { throw .notFound("plan \(name)") }
    return Answer(status: status, fields.visible(to: call), plan)
  }

  private static let fields =
    ([
      .field("name", \.name), .field("display_name", \.displayName), .source { $0.line != nil },
      .field("monthly_tokens", \.monthlyTokens),
      .field("monthly_conversations", \.monthlyConversations),
      .field("billing", as: billing) { plan in
        AnswerJSON { writer in
          guard let billing = plan.billing else { return writer.null() }
          writer.object { billing.writeMembers(to: &$0) }
        }
      },
      .markup { $0.markup },
    ] as AnswerFields<Plan>).named("Plan")

  private static let billing = JSONSchema.either([
    .object([
      "currency": .currency, "fixed_fee": .money, "included_tokens": .count,
      "overage": .object(["every_tokens": .count, "charge": .money]).orNull,
    ]),
    .object([
      "currency": .currency, "fixed_fee": .money, "included_cost": .money,
      "overage": .object(["every_cost": .money, "charge": .money]).orNull,
    ]), .null,
  ])

  // MARK: Changing

  private static let name = BodyField("name", .name)

  private static func create(_ call: Call) async throws(APIError) -> Answer {
    let body = try call.body()
    let name = try body.require(name)
    // This check covers the file. The ledger checks its own records, and recognizes a repetition of
    // this call.
    if call.clients.plans[name]?.line != nil { throw .alreadyExists("a plan \(name)") }
    let made = try change(by: body, of: name, call).values
    try await call.change { editor throws(LedgerError) in try editor.create(made) }
    return try answer(name, call, status: 201)
  }

  private static func update(_ call: Call) async throws(APIError) -> Answer {
    let name = try changeable(call)
    let change = try change(by: try call.body(), of: name, call)
    try await call.change { editor throws(LedgerError) in
      try editor.updatePlan(name) { change.apply(to: &$0) }
    }
    return try answer(name, call)
  }

  private static func change(
    by body: Body, of name: String, _ call: Call
  ) throws(APIError) -> RecordChange<StoredPlan> {
    try PlanFields.fields(call.settings.rates).change(
      by: body,
      defaults: StoredPlan(
        name: name, displayName: name, monthlyTokens: nil, monthlyConversations: nil, billing: nil,
        createdAt: call.now))
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
