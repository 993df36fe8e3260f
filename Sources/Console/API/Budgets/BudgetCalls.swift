internal import Budgets
internal import Configuration
internal import Ledger
internal import Money

/// `/api/admin/budgets`: budgets and their state.
enum BudgetCalls {
  private static let path = "/api/admin/budgets"

  static var routes: [APIRoute] {
    [
      APIRoute(
        .get, path, .viewer, "Lists the budgets with their state",
        query: [
          .client,
          QueryParameter("per", "the kind of its accounts", .choice(of: BudgetDefinition.Per.self)),
          QueryParameter("state", "its state", .choice(of: AccountStatus.Level.self)),
          QueryParameter(
            "sort", "id, or percentage: closest to its limit first, one page",
            .choice(of: Sorting.self)),
        ] + QueryParameter.page, answers: .ok(.page(of: BudgetJSON.fields.schema)), handler: list),
      APIRoute(
        .post, path, .admin, "Creates or replaces a budget", body: BudgetFields.schemas,
        answers: .createdOrReplaced(BudgetJSON.fields.schema), handler: replace),
      APIRoute(
        .get, path + "/{client}/{name}", .viewer, "Shows a budget",
        answers: .ok(BudgetJSON.fields.schema), handler: show),
      APIRoute(
        .get, path + "/{client}/{name}/subjects", .viewer,
        "Lists the accounts of a budget, closest to the limit first", query: QueryParameter.page,
        answers: .ok(.page(of: BudgetJSON.fields.schema)), handler: subjects),
      APIRoute(
        .delete, path + "/{client}/{name}", .admin, "Removes a budget",
        answers: .removed, handler: remove),
    ]
  }

  // MARK: Reading

  private enum Sorting: String, CaseIterable {
    case id, percentage
  }

  private static func list(_ call: Call) throws(APIError) -> Answer {
    let client = try call.query.text("client")
    let per: BudgetDefinition.Per? = try call.query.choice("per")
    let level: AccountStatus.Level? = try call.query.choice("state")
    let sorting: Sorting = try call.query.choice("sort") ?? .id
    let limit = try call.query.limit()
    let after = try call.query.text("after") ?? ""
    let statuses = statuses(client: client, per: per, level: level, call)
    switch sorting {
    case .id:
      let later = statuses.filter { $0.definition.id.description > after }
        .sorted { $0.definition.id.description < $1.definition.id.description }
      let page = Page(
        try BudgetJSON.forms(Array(later.prefix(limit + 1)), call), limit: limit
      ) { $0.status.definition.id.description }
      return page.answer(BudgetJSON.fields)
    case .percentage:
      let fullest = statuses.sorted(by: isFuller).prefix(limit)
      return Page(whole: try BudgetJSON.forms(Array(fullest), call))
        .answer(BudgetJSON.fields)
    }
  }

  /// The states of the budgets that match all conditions that aren't nil.
  static func statuses(
    client: String? = nil, per: BudgetDefinition.Per? = nil, level: AccountStatus.Level? = nil,
    _ call: Call
  ) -> [AccountStatus] {
    let now = call.now
    return call.server.readBudgets { budgets in
      budgets.definitions.filter { definition in
        (client ?? definition.id.client) == definition.id.client
          && (per ?? definition.per) == definition.per
      }.compactMap { try? budgets.status(of: $0.id, at: now) }
    }.filter { (level ?? $0.level) == $0.level }
  }

  /// Orders budgets by how close they are to their limits, then by ID.
  static func isFuller(_ left: AccountStatus, _ right: AccountStatus) -> Bool {
    guard let leftShare = left.share, let rightShare = right.share, leftShare != rightShare else {
      return left.definition.id.description < right.definition.id.description
    }
    return leftShare > rightShare
  }

  private static func show(_ call: Call) throws(APIError) -> Answer {
    try answer(id(in: call), call)
  }

  static func id(in call: Call) -> BudgetID {
    BudgetID(client: call.parameter("client"), name: call.parameter("name"))
  }

  /// The current state of the budget, or of the account of `subject`.
  static func answer(
    _ id: BudgetID, _ call: Call, status: Int = 200, subject: Subject? = nil
  ) throws(APIError) -> Answer {
    let now = call.now
    let found = call.server.readBudgets { budgets -> AccountStatus? in
      guard let subject else { return try? budgets.status(of: id, at: now) }
      return try? budgets.subjects(of: id, at: now).first { $0.subject == subject }
    }
    guard let found, let form = try BudgetJSON.forms([found], call).first else {
      throw .notFound("budget \(id)")
    }
    return Answer(status: status, BudgetJSON.fields, form)
  }

  private static func subjects(_ call: Call) throws(APIError) -> Answer {
    let id = id(in: call)
    let limit = try call.query.limit()
    let start = try call.query.cursor { Fullness($0) }
    let now = call.now
    guard let all = call.server.readBudgets({ try? $0.subjects(of: id, at: now) }) else {
      throw .notFound("budget \(id)")
    }
    // A subject whose use grows between two pages may be missing from both. No subject is on two
    // pages.
    let later = all.filter { status in start.map { $0 < status.fullness } ?? true }
    let forms = try BudgetJSON.forms(Array(later.prefix(limit + 1)), call)
    let page = Page(forms, limit: limit) { "\($0.status.fullness)" }
    return page.answer(BudgetJSON.fields)
  }

  // MARK: Changing

  private static func replace(_ call: Call) async throws(APIError) -> Answer {
    let body = try call.body()
    let clientID = try body.require(BudgetFields.clientID)
    let client = try call.client(clientID)
    let terms = try BudgetFields.terms(in: body, rates: call.settings.rates)
    guard let name = try body.read(BudgetFields.name) else {
      let id = try await makeUnnamed(terms, of: client, call)
      return try answer(id, call, status: 201)
    }
    let id = BudgetID(client: client.id, name: name)
    try requireNotDeclared(id, call)
    let budget = StoredBudget(id, terms, at: call.now)
    let isNew = try await call.change { editor throws(LedgerError) in try editor.replace(budget) }
    return try answer(id, call, status: isNew ? 201 : 200)
  }

  /// Names the budget with the first of `b1`, `b2`, … that is free. If another call takes the name
  /// at the same time, the next one is tried.
  private static func makeUnnamed(
    _ terms: BudgetTerms, of client: Client, _ call: Call
  ) async throws(APIError) -> BudgetID {
    let known = Set(call.clients.budgets.map(\.id))
    let name = try await call.change { editor throws(LedgerError) -> String in
      var number = 1
      while true {
        let id = BudgetID(client: client.id, name: "b\(number)")
        if !known.contains(id), try editor.insert(StoredBudget(id, terms, at: call.now)) {
          return id.name
        }
        number += 1
      }
    }
    return BudgetID(client: client.id, name: name)
  }

  private static func remove(_ call: Call) async throws(APIError) -> Answer {
    let id = id(in: call)
    try requireNotDeclared(id, call)
    try await call.change { editor throws(LedgerError) in try editor.removeBudget(id) }
    return .removed
  }

  static func requireNotDeclared(_ id: BudgetID, _ call: Call) throws(APIError) {
    if let line = call.clients.line(of: id) {
      throw .declaredInFile("Budget \(id)", line: line)
    }
    let plan = call.clients.client(id.client)?.plan.flatMap { call.clients.plans[$0] }
    if id.isPlan {
      guard let plan, plan.monthlyTokens != nil, let line = plan.line else {
        throw .invalidValue(
          "name", allowed: "another name, since the budget of a client's plan has the name plan")
      }
      throw .declaredInFile("Budget \(id), as the client's plan,", line: line)
    }
  }
}
