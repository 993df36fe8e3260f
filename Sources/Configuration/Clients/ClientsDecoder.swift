internal import Budgets
internal import Money
internal import Time

/// Reads `clients.yaml`: the plans first, then the clients on them.
struct ClientsDecoder {
  private let context: DecodingContext
  private let rates: ExchangeRates
  private let providers: [String]
  private let keyDecoder = ClientKeyDecoder()
  private let budgetDecoder: BudgetDecoder
  private let text = ValueFormat<String>.text()
  private let status = ValueFormat<Client.Status>.choice

  private var plans: [String: Plan] = [:]
  private var defaultPlan: String?
  private var clients: [Client] = []
  private var budgets: [BudgetDefinition] = []
  private var linesOfEverything: [String: Int] = [:]
  private var zones: [String: TimeZoneRules] = [:]
  private var owners: [KeyDigest: ClientRegistry.KeyOwner] = [:]

  /// - Parameter providers: The names of the configured providers.
  static func decode(
    _ root: YAMLNode, context: DecodingContext, rates: ExchangeRates, providers: [String]
  ) -> ClientRegistry {
    var decoder = ClientsDecoder(context: context, rates: rates, providers: providers)
    Section.read(root, "clients file", context) { decoder.decodeFile(&$0) }
    return ClientRegistry(
      plans: decoder.plans, defaultPlan: decoder.defaultPlan, clients: decoder.clients,
      budgets: decoder.budgets, linesOfEverything: decoder.linesOfEverything,
      owners: decoder.owners)
  }

  private init(context: DecodingContext, rates: ExchangeRates, providers: [String]) {
    self.context = context
    self.rates = rates
    self.providers = providers
    self.budgetDecoder = BudgetDecoder(rates: rates)
  }

  private mutating func decodeFile(_ section: inout Section) {
    for entry in section.entries("plans") {
      checkName(of: entry)
      plans[entry.key] = Section.read(entry.value, entry.key, context) { section in
        Plan.decode(
          from: &section, name: entry.key, line: Int(entry.keyMark.line) + 1,
          rates: rates)
      }
    }
    defaultPlan =
      decodePlanName("default_plan", from: &section)
      ?? (plans[Plan.trialName] == nil ? nil : Plan.trialName)
    let entries = section.entries("clients")
    clients.reserveCapacity(entries.count)
    budgets.reserveCapacity(entries.count)
    owners.reserveCapacity(entries.count)
    for entry in entries {
      checkName(of: entry)
      Section.read(entry.value, entry.key, context) { section in
        decodeClient(&section, id: entry.key, line: Int(entry.keyMark.line) + 1)
      }
    }
    // Budgets over all clients count in UTC days.
    for budget in decodeBudgets(from: &section, client: BudgetID.everything, zone: .utc) {
      linesOfEverything[budget.name] = budget.line
    }
  }

  private mutating func decodeClient(_ section: inout Section, id: String, line: Int) {
    let name = section.optional("name", text)
    let plan = decodePlanName("plan", from: &section)
    let markup = section.optional("markup", .markup)
    let zone = decodeZone(from: &section)
    let status = section.optional("status", status) ?? .active
    let customer = section.optional("payment_customer_id", text)
    let logsPrompts = section.optional("log_prompts", .boolean) ?? false
    let metadata = decodeMetadata(from: &section)
    let keys = decodeKeys(from: &section, zone: zone)
    let providerKeys = ProviderKey.decodeAll(from: &section, providers: providers)
    let lines = decodeBudgets(from: &section, client: id, zone: zone)
    let client = Client(
      id: id, name: name ?? id, plan: plan ?? defaultPlan, declaresPlan: plan != nil,
      subscription: nil, markup: markup, timeZone: zone, status: status, isOverdue: false,
      metadata: metadata, paymentCustomerID: customer, logsPrompts: logsPrompts, keys: keys,
      providerKeys: providerKeys, line: line, budgetLines: lines)
    clients.append(client)
    for place in keys.indices {
      owners[keys[place].digest] = ClientRegistry.KeyOwner(client: client, place: place)
    }
  }

  private mutating func decodeKeys(
    from section: inout Section, zone: TimeZoneRules
  ) -> [ClientKey] {
    var keys: [ClientKey] = []
    for node in capped(section.items("keys"), "keys", at: ClientKeyDecoder.capacity) {
      let key = Section.read(node, "keys", context) { section in
        keyDecoder.decode(from: &section, zone: zone, line: Int(node.mark.line) + 1)
      }
      guard let key else { continue }
      if keys.contains(where: { $0.name == key.name }) {
        context.mistake(
          node.mark, "a second key named \"\(key.name)\"; allowed: each name once in a client")
      } else if let line = line(ofKeyWith: key.digest, among: keys) {
        context.mistake(
          node.mark, "sha256 is that of the key in line \(line); allowed: a key of its own")
      } else {
        keys.append(key)
      }
    }
    return keys
  }

  /// Returns the line of a key with this digest, in this client or an earlier one; nil for none.
  private func line(ofKeyWith digest: KeyDigest, among keys: [ClientKey]) -> Int? {
    (keys.first { $0.digest == digest } ?? owners[digest]?.key)?.line
  }

  /// - Returns: The line of each budget's declaration.
  private mutating func decodeBudgets(
    from section: inout Section, client: String, zone: TimeZoneRules
  ) -> [Client.BudgetLine] {
    var lines: [Client.BudgetLine] = []
    let nodes = capped(section.items("budgets"), "budgets", at: BudgetDecoder.capacity)
    for (index, node) in nodes.enumerated() {
      let budget = Section.read(node, "budgets", context) { section in
        budgetDecoder.decode(from: &section, client: client, position: index + 1, zone: zone)
      }
      guard let budget else { continue }
      if let line = lines.first(where: { $0.name == budget.id.name })?.line {
        context.mistake(
          node.mark,
          "a second budget named \"\(budget.id.name)\", as in line \(line); allowed: each once")
        continue
      }
      lines.append(Client.BudgetLine(name: budget.id.name, line: Int(node.mark.line) + 1))
      budgets.append(budget)
    }
    return lines
  }

  private func decodePlanName(_ key: String, from section: inout Section) -> String? {
    guard let name = section.optional(key, text) else { return nil }
    if plans[name] != nil { return name }
    let answer =
      likelyMeant(by: name, among: Array(plans.keys)).map { "did you mean \"\($0)\"?" }
      ?? "allowed: one of plans"
    section.mistake(at: key, "\(key): there is no plan \(quoted(name)); \(answer)")
    return nil
  }

  private mutating func decodeZone(from section: inout Section) -> TimeZoneRules {
    guard let identifier = section.optional("timezone", text) else { return .utc }
    if let zone = zones[identifier] { return zone }
    let format = TextFormat<TimeZoneRules>.timeZone
    guard let zone = format.parse(identifier) else {
      section.mistake(
        at: "timezone",
        "timezone: \(quoted(identifier)) is not valid; allowed: \(format.allowed)")
      return .utc
    }
    zones[identifier] = zone
    return zone
  }

  private func decodeMetadata(from section: inout Section) -> [String: String] {
    let largestMetadata = 4096
    var metadata: [String: String] = [:]
    var size = 0
    for entry in section.entries("metadata") {
      metadata[entry.key] = text.read(entry.value, entry.key, context)
      size += entry.key.utf8.count + (metadata[entry.key]?.utf8.count ?? 0)
    }
    if size > largestMetadata {
      section.mistake(at: "metadata", "metadata is too long; allowed: \(largestMetadata) bytes")
    }
    return metadata
  }

  /// Returns the items; if there are more than `limit`, reports a mistake and returns none.
  private func capped(_ nodes: [YAMLNode], _ key: String, at limit: Int) -> [YAMLNode] {
    guard nodes.count > limit else { return nodes }
    context.mistake(nodes[limit].mark, "\(key): too many items; allowed: \(limit)")
    return []
  }

  /// Reports an invalid name, which is enough to refuse the file. The value is read nevertheless,
  /// so that its mistakes are reported too.
  private func checkName(of entry: YAMLEntry) {
    if EntityName.isValid(entry.key) { return }
    context.mistake(
      entry.keyMark, "\(quoted(entry.key)) is not a name; allowed: \(EntityName.rule)")
  }
}
