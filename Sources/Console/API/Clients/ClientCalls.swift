internal import Configuration
internal import Ledger
internal import Time

/// `/api/admin/clients`: the clients, each a tenant with its own keys and budgets.
enum ClientCalls {
  static var routes: [APIRoute] {
    [
      APIRoute(
        .get, "/api/admin/clients", .viewer, "Lists the clients",
        query: [
          QueryParameter("q", "a part of the ID or name"),
          QueryParameter("status", "active or suspended", .choice(of: Client.Status.self)),
          QueryParameter("plan", "a plan's name"),
        ] + QueryParameter.page, answers: .ok(.page(of: ClientJSON.fields.schema)), handler: list),
      APIRoute(
        .post, "/api/admin/clients", .admin, "Creates a client",
        body: Fields(required: [id]) + fields.schemas, answers: .created(ClientJSON.fields.schema),
        handler: create),
      APIRoute(
        .get, "/api/admin/clients/{client}", .viewer, "Shows a client",
        answers: .ok(ClientJSON.fields.schema), handler: show),
      APIRoute(
        .patch, "/api/admin/clients/{client}", .admin, "Changes a client",
        body: fields.schemas, answers: .ok(ClientJSON.fields.schema), handler: update),
      APIRoute(
        .delete, "/api/admin/clients/{client}", .admin,
        "Deletes a client; its keys stop at once, and its rows stay", answers: .removed,
        handler: delete),
    ]
  }

  // MARK: Reading

  private static func list(_ call: Call) throws(APIError) -> Answer {
    let part = try call.query.text("q")
    let status: Client.Status? = try call.query.choice("status")
    let plan = try call.query.text("plan")
    let after = try call.query.text("after") ?? ""
    let limit = try call.query.limit()
    let clients = clients(in: call.clients, naming: part, after: after).filter { client in
      (status ?? client.status) == client.status && (plan ?? client.plan) == client.plan
    }
    let page = Page(clients, limit: limit, cursor: \.id)
    let stored = try stored(call)
    let shown = ClientJSON.fields.visible(to: call)
    return page.answer { client, data in
      shown.write(ClientJSON(client, stored[client.id]), to: &data)
    }
  }

  /// The clients whose ID or name contains `part` and whose ID is greater than `after`, in the
  /// order of their IDs.
  static func clients(
    in registry: ClientRegistry, naming part: String?, after: String
  ) -> [Client] {
    let part = part?.lowercased()
    return registry.clients.filter { client in
      client.id > after
        && (part.map {
          client.id.lowercased().contains($0) || client.name.lowercased().contains($0)
        } ?? true)
    }.sorted { $0.id < $1.id }
  }

  private static func show(_ call: Call) throws(APIError) -> Answer {
    try answer(call.parameter("client"), call)
  }

  private static func answer(
    _ id: String, _ call: Call, status: Int = 200
  ) throws(APIError) -> Answer {
    // The call's own registry is older than the change that the call made.
    guard let client = call.server.clients.client(id) else { throw .notFound("client \(id)") }
    return Answer(
      status: status, ClientJSON.fields.visible(to: call), ClientJSON(client, try stored(call)[id]))
  }

  private static func stored(_ call: Call) throws(APIError) -> [String: StoredClient] {
    let clients = try call.read { reader throws(LedgerError) in
      try reader.storedClients().clients
    }
    return Dictionary(clients.map { ($0.id, $0) }) { first, _ in first }
  }

  // MARK: Changing

  private static let id = BodyField("id", .name)
  private static let plan = BodyField("plan", .name)
  static let fields: RecordFields<StoredClient> = [
    .field("name", .text, \.name), .separate(plan), .field("timezone", .timeZone, \.timeZone),
    .field("status", .choice, \.status),
    .field("metadata", .smallObject(.map(of: .anyText)), \.metadata),
    .optional("payment_customer_id", .text, \.paymentCustomerID),
    .optional("markup", .markup, \.markup),
  ]

  private static func create(_ call: Call) async throws(APIError) -> Answer {
    let body = try call.body()
    let id = try body.require(id)
    // This check covers the file. The ledger checks its own records, and recognizes a repetition of
    // this call.
    if call.clients.client(id)?.line != nil { throw .alreadyExists("a client \(id)") }
    let made = try fields.change(by: body, defaults: defaults(id, call)).values
    let plan = try SubscriptionCalls.plan(in: body, call)
    let today = SubscriptionCalls.today(in: made.timeZone, call)
    try await call.change { editor throws(LedgerError) in
      try editor.create(made)
      if let plan { try editor.subscribe(id, to: plan, startedOn: today) }
    }
    return try answer(id, call, status: 201)
  }

  /// A client with the default of each field.
  private static func defaults(_ id: String, _ call: Call) -> StoredClient {
    StoredClient(id: id, name: id, timeZone: "UTC", createdAt: call.now)
  }

  private static func update(_ call: Call) async throws(APIError) -> Answer {
    let id = try changeable(call)
    let body = try call.body()
    let change = try fields.change(by: body, defaults: defaults(id, call))
    let plan = try SubscriptionCalls.plan(in: body, call)
    let before = try call.client(id)
    let today = SubscriptionCalls.today(
      in: body.has("timezone") ? change.values.timeZone : before.timeZone.identifier, call)
    try await call.change { editor throws(LedgerError) in
      _ = try editor.updateClient(id) { change.apply(to: &$0) }
      if let plan {
        try editor.subscribe(id, to: plan, startedOn: today)
      } else if body.has("plan"), before.subscription != nil {
        try editor.unsubscribe(id)
      }
    }
    return try answer(id, call)
  }

  private static func delete(_ call: Call) async throws(APIError) -> Answer {
    let id = try changeable(call)
    try await call.change { editor throws(LedgerError) in try editor.deleteClient(id) }
    return .removed
  }

  /// The client that the path names. Throws if `clients.yaml` declares it.
  private static func changeable(_ call: Call) throws(APIError) -> String {
    let client = try call.client(call.parameter("client"))
    if let line = client.line { throw .declaredInFile("Client \(client.id)", line: line) }
    return client.id
  }
}
