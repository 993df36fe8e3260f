internal import Budgets
internal import Configuration
internal import Ledger
internal import Money
internal import Time

/// Pauses, resumes, resets and raises budgets. These actions change the state of a budget, not its
/// definition, so they also work on budgets that `clients.yaml` declares.
enum BudgetActionCalls {
  private static let path = "/api/admin/budgets/{client}/{name}"
  private static let longestRaise = Duration.seconds(366 * 86_400)

  static var routes: [APIRoute] {
    [
      APIRoute(
        .post, path + "/pause", .admin,
        "Pauses a budget: every request is refused until it is resumed",
        body: fields([note]), answers: budget, handler: pause),
      APIRoute(
        .post, path + "/resume", .admin, "Resumes a budget that was paused by hand",
        body: fields(), answers: budget, handler: resume),
      APIRoute(
        .post, path + "/reset", .admin,
        "Resets a budget: alerts are sent again; usage clear also sets its use to zero",
        body: fields(required: [usage]), answers: budget,
        handler: reset),
      APIRoute(
        .post, path + "/raise", .admin, "Raises a budget's limits for a while",
        body: fields(required: [until(in: .utc)], [tokens, cost]), answers: budget, handler: raise),
    ]
  }

  private static let budget = Success.ok(BudgetJSON.fields.schema)

  private static let subject = BodyField("subject", .text)
  private static let note = BodyField("note", .text)
  private static let usage = BodyField<ResetUse>("usage", .choice)
  private static let tokens = BodyField("tokens", .integer(BudgetDraft.tokenCounts))
  private static let cost = BodyField("cost", .amount)
  private static func until(in zone: TimeZoneRules) -> BodyField<Timestamp> {
    BodyField("until", .moment(in: zone))
  }

  /// The fields of an action, with the subject that every action takes.
  private static func fields(
    required: [any BodyFieldDescription] = [], _ optional: [any BodyFieldDescription] = []
  ) -> Fields {
    Fields(required: required, optional: [subject] + optional)
  }

  private static func pause(_ call: Call) async throws(APIError) -> Answer {
    let body = try call.body()
    return try await setPaused(true, body, call, note: try body.read(note))
  }

  private static func resume(_ call: Call) async throws(APIError) -> Answer {
    try await setPaused(false, try call.body(), call)
  }

  private static func setPaused(
    _ isPaused: Bool, _ body: Body, _ call: Call, note: String? = nil
  ) async throws(APIError) -> Answer {
    let (target, _) = try target(body, call)
    try await call.change { editor throws(LedgerError) in
      try editor.setPaused(isPaused, target, note: note)
    }
    return try BudgetCalls.answer(target.budget, call, subject: target.subject)
  }

  private static func reset(_ call: Call) async throws(APIError) -> Answer {
    let body = try call.body()
    let (target, _) = try target(body, call)
    let use = try body.require(usage)
    try await call.change { editor throws(LedgerError) in try editor.reset(target, use: use) }
    return try BudgetCalls.answer(target.budget, call, subject: target.subject)
  }

  private static func raise(_ call: Call) async throws(APIError) -> Answer {
    let body = try call.body()
    let (target, definition) = try target(body, call)
    let tokens = try body.read(tokens)
    let cost = try body.read(cost)
    guard tokens != nil || cost != nil else { throw .missingField("tokens") }
    let unlimited = "0 or no value, since this budget doesn't limit it"
    if definition.limit.tokens == nil, let tokens, tokens > 0 {
      throw .invalidValue("tokens", allowed: unlimited)
    }
    if definition.limit.cost == nil, let cost, cost > 0 {
      throw .invalidValue("cost", allowed: unlimited)
    }
    let until = try body.require(until(in: definition.timeZone))
    guard until > call.changedAt, until <= call.changedAt.advanced(by: longestRaise) else {
      throw .invalidValue("until", allowed: "a time in the future, within 366 days")
    }
    let raise = Raise(
      amount: Spend(tokens: tokens ?? 0, nanoUnits: cost ?? 0), until: until)
    try await call.change { editor throws(LedgerError) in try editor.raise(target, by: raise) }
    return try BudgetCalls.answer(target.budget, call, subject: target.subject)
  }

  /// The budget that the path names, and the subject that the body names, if any.
  private static func target(
    _ body: Body, _ call: Call
  ) throws(APIError) -> (Target, BudgetDefinition) {
    let id = BudgetCalls.id(in: call)
    guard let definition = call.server.readBudgets({ $0.definition(of: id) }) else {
      throw .notFound("budget \(id)")
    }
    guard let text = try body.read(subject) else { return (Target(budget: id), definition) }
    guard let subject = Subject(text: text), subject.kind == definition.per,
      definition.per != .client
    else {
      throw .invalidValue(
        "subject",
        allowed: definition.per == .client
          ? "nothing, the budget is one for all" : "\(definition.per.rawValue):NAME")
    }
    return (Target(budget: id, subject: subject), definition)
  }
}
