internal import Configuration
internal import Ledger
internal import Time

/// Parameters of the commands about one client.
enum ClientOptions {
  static let id = Parameter(
    "id", ArgumentFormat<String>.name("ID"), "the client's id", isRequired: true)
  static let common: [any ParameterDescription] = [
    CommonOptions.config, CommonOptions.ledger, CommonOptions.format,
  ]
}

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

/// `catraca client list`.
enum ClientList {
  static let command = Command(
    "client list", "lists the clients, declared in files or made otherwise",
    options: ClientOptions.common
  ) { invocation throws(CommandError) in
    let directory = try ClientDirectory(invocation)
    let stored = Dictionary(uniqueKeysWithValues: directory.stored.clients.map { ($0.id, $0) })
    var table = Table(ClientFields.columns, emptyText: "There are no clients.")
    for client in directory.registry.clients.sorted(by: { $0.id < $1.id }) {
      table.append(ClientFields.row(client, stored[client.id]))
    }
    return CommandOutcome(.list(table))
  }
}

/// `catraca client show ID`.
enum ClientShow {
  static let command = Command(
    "client show", "shows one client", arguments: [ClientOptions.id],
    options: ClientOptions.common
  ) { invocation throws(CommandError) in
    let id = try invocation.values.required(ClientOptions.id)
    return CommandOutcome(.record(try ClientFields.record(id, in: try ClientDirectory(invocation))))
  }
}

/// The common part of suspending and resuming.
enum ClientStatusChange {
  static func perform(
    _ status: StoredClient.Status, _ invocation: Invocation
  ) throws(CommandError) -> CommandOutcome {
    let id = try invocation.values.required(ClientOptions.id)
    try ClientDirectory(invocation).requireStored(id)
    let editor = try invocation.editor()
    _ = try invocation.ledger { () throws(LedgerError) in
      try editor.setStatus(status, ofClient: id)
    }
    return CommandOutcome(.record(try ClientFields.record(id, in: try ClientDirectory(invocation))))
  }
}

/// `catraca client suspend ID`.
enum ClientSuspend {
  static let command = Command(
    "client suspend", "refuses a client's requests until it is resumed",
    arguments: [ClientOptions.id], options: ClientOptions.common
  ) { invocation throws(CommandError) in
    try ClientStatusChange.perform(.suspended, invocation)
  }
}

/// `catraca client resume ID`.
enum ClientResume {
  static let command = Command(
    "client resume", "lets a suspended client's requests through again",
    arguments: [ClientOptions.id], options: ClientOptions.common
  ) { invocation throws(CommandError) in
    try ClientStatusChange.perform(.active, invocation)
  }
}

/// `catraca client delete ID`.
enum ClientDelete {
  static let command = Command(
    "client delete", "deletes a client and revokes its keys",
    arguments: [ClientOptions.id], options: [CommonOptions.config, CommonOptions.ledger],
    examples: [
      Command.Example(
        line: "client delete acme", meaning: "what it used stays recorded, and its id stays taken")
    ]
  ) { invocation throws(CommandError) in
    let id = try invocation.values.required(ClientOptions.id)
    try ClientDirectory(invocation).requireStored(id)
    let editor = try invocation.editor()
    try invocation.ledger { () throws(LedgerError) in try editor.deleteClient(id) }
    return CommandOutcome(.line("client \(id) is deleted"))
  }
}
