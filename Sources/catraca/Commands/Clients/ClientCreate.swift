internal import Configuration
internal import Ledger
internal import Time

/// `catraca client create ID`.
enum ClientCreate {
  private static let name = Parameter(
    "name", ArgumentFormat<String>.text("NAME"), "what people call it; else its id")
  private static let plan = Parameter(
    "plan", ArgumentFormat<String>.name("PLAN"), "a plan, from today on; else the default plan")
  private static let timeZone = Parameter(
    "timezone", ArgumentFormat<TimeZoneRules>.timeZone, "where its days begin", default: "UTC")

  static let command = Command(
    "client create", "makes a client in the ledger",
    arguments: [ClientOptions.id], options: [name, plan, timeZone] + ClientOptions.common,
    examples: [
      Command.Example(
        line: "client create acme --plan pro --timezone America/Sao_Paulo",
        meaning: "a running server knows it within a second")
    ]
  ) { invocation throws(CommandError) in
    let values = invocation.values
    let id = try values.required(ClientOptions.id)
    let directory = try ClientDirectory(invocation)
    if let line = directory.declared.client(id)?.line {
      throw .failed("client \(id) is declared in clients.yaml:\(line); allowed: another id")
    }
    let plan = try values[plan].map { plan throws(CommandError) in
      try known(plan, in: directory.registry)
    }
    let zone = try values.required(timeZone)
    let now = invocation.surroundings.now()
    let client = StoredClient(
      id: id, name: values[name] ?? id, timeZone: zone.identifier, createdAt: now)
    let editor = try invocation.editor()
    try invocation.ledger { () throws(LedgerError) in
      try editor.create(client)
      if let plan { try editor.subscribe(id, to: plan, startedOn: zone.civilDate(of: now)) }
    }
    return CommandOutcome(.record(try ClientFields.record(id, in: try ClientDirectory(invocation))))
  }

  private static func known(
    _ plan: String, in registry: ClientRegistry
  ) throws(CommandError) -> String {
    guard registry.plans[plan] == nil else { return plan }
    let plans = registry.plans.keys.sorted().joined(separator: ", ")
    throw .failed(
      "there is no plan '\(plan)'; allowed: " + (plans.isEmpty ? "none is declared" : plans))
  }
}
