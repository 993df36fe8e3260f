internal import Budgets
package import Configuration
internal import JSON
package import Ledger
internal import Time

extension ClientRegistry {
  /// This registry with the ledger's clients, keys, plans and budgets added.
  ///
  /// - Parameters:
  ///   - unreadable: collects the records that can't be understood and are left out. If it is nil,
  ///     such a record is an error.
  ///   - closed: clients whose requests the server refuses in any case.
  /// - Throws: `LedgerError.unreadable` for a record that can't be understood.
  package func adding(
    _ stored: StoredClients, passingOver unreadable: UnreadableRows? = nil,
    closing closed: Set<String> = []
  ) throws(LedgerError) -> ClientRegistry {
    func passing<Record>(
      over client: String, _ effect: UnreadableRow.Effect, _ read: () throws(LedgerError) -> Record
    ) throws(LedgerError) -> Record? {
      do throws(LedgerError) {
        return try read()
      } catch {
        guard case .unreadable(let record) = error, let unreadable else { throw error }
        unreadable.note(UnreadableRow(clientID: client, record: record, effect: effect))
        return nil
      }
    }
    var clients: [Client] = []
    for client in stored.clients {
      let read = try passing(over: client.id, .closesClient) { () throws(LedgerError) in
        try Client(client)
      }
      if let read { clients.append(read) }
    }
    var keys: [String: [ClientKey]] = [:]
    for key in stored.keys {
      let read = try passing(over: key.clientID, .isLeftOut) { () throws(LedgerError) in
        try ClientKey.keys(of: key)
      }
      keys[key.clientID, default: []] += read ?? []
    }
    let plans = stored.plans.map(Plan.init)
    let subscriptions = Dictionary(
      stored.subscriptions.map { ($0.clientID, Subscription($0)) }
    ) { first, _ in first }
    let withoutBudgets = adding(
      clients: clients, keys: keys, plans: plans, subscriptions: subscriptions,
      overdue: stored.overdue, closed: closed.union(unreadable?.closedClients ?? []))
    guard !stored.budgets.isEmpty else { return withoutBudgets }
    let madeByID = Dictionary(stored.clients.map { ($0.id, $0.createdAt) }) { first, _ in first }
    var budgets: [BudgetDefinition] = []
    for budget in stored.budgets {
      // A client that was deleted, or that the file no longer declares, has no budgets.
      guard let client = withoutBudgets.client(budget.id.client) else { continue }
      let read = try passing(over: client.id, .closesClient) { () throws(LedgerError) in
        try BudgetDefinition(budget, of: client, madeAt: madeByID[client.id])
      }
      if let read { budgets.append(read) }
    }
    return adding(
      clients: clients, keys: keys, budgets: budgets, plans: plans, subscriptions: subscriptions,
      overdue: stored.overdue, closed: closed.union(unreadable?.closedClients ?? []))
  }
}

extension ClientRegistry {
  /// The budgets of files and plans, without the budgets of the ledger.
  func declaredBudgets(besides stored: StoredClients) -> [BudgetDefinition] {
    guard !stored.budgets.isEmpty else { return budgets }
    let made = Set(stored.budgets.map(\.id))
    return budgets.filter { line(of: $0.id) != nil || !made.contains($0.id) }
  }
}

extension BudgetDefinition {
  /// - Parameter madeAt: when the client was made; nil for a client that a file declares.
  fileprivate init(
    _ stored: StoredBudget, of client: Client, madeAt: Timestamp?
  ) throws(LedgerError) {
    let anchor = madeAt.map { client.timeZone.civilDate(of: $0) } ?? ClientRegistry.windowAnchor
    guard let period = BudgetPeriod(stored.period, anchor: anchor) else {
      throw .unreadable(record: "period of budget \(stored.id)")
    }
    guard BudgetDefinition.allows(stored.limit, alerts: stored.alerts) else {
      throw .unreadable(record: "limit or alerts of budget \(stored.id)")
    }
    self.init(
      id: stored.id, per: stored.per, limit: stored.limit, period: period,
      timeZone: client.timeZone, enforcement: stored.enforcement, alerts: stored.alerts)
  }
}

extension Client {
  fileprivate convenience init(_ stored: StoredClient) throws(LedgerError) {
    guard let zone = TimeZoneRules(identifier: stored.timeZone) else {
      throw .unreadable(record: "time zone \(stored.timeZone) of client \(stored.id)")
    }
    // The metadata stays in the ledger. Answers show it from there unchanged.
    let metadata = try? JSONParser().parse(Array(stored.metadata.utf8))
    guard metadata?.kind == .object else {
      throw .unreadable(record: "metadata of client \(stored.id)")
    }
    self.init(
      id: stored.id, name: stored.name, markup: stored.markup, timeZone: zone,
      status: stored.status == .active ? .active : .suspended,
      paymentCustomerID: stored.paymentCustomerID)
  }
}

extension Plan {
  fileprivate init(_ stored: StoredPlan) {
    self.init(
      name: stored.name, displayName: stored.displayName,
      monthlyTokens: stored.monthlyTokens.map { max(0, $0) },
      monthlyConversations: stored.monthlyConversations.map { max(0, $0) },
      billing: stored.billing, markup: stored.markup, line: nil)
  }
}

extension Subscription {
  fileprivate init(_ stored: StoredSubscription) {
    let status: Status =
      switch stored.status {
      case .active: .active
      case .pastDue: .pastDue
      case .canceled: .canceled
      }
    self.init(plan: stored.plan, startedOn: stored.startedOn, status: status)
  }
}

extension ClientKey {
  /// The key once for each digest in force. While a rotation overlaps, two digests have one name.
  fileprivate static func keys(of stored: StoredKey) throws(LedgerError) -> [ClientKey] {
    var keys = [try ClientKey(stored, digest: stored.sha256, expires: stored.expiresAt)]
    if let previous = stored.previousSHA256, let end = stored.previousExpiresAt {
      let expires = stored.expiresAt.map { min($0, end) } ?? end
      keys.append(try ClientKey(stored, digest: previous, expires: expires))
    }
    return keys
  }

  private init(
    _ stored: StoredKey, digest text: String, expires: Timestamp?
  ) throws(LedgerError) {
    let record = "key \(stored.name) of client \(stored.clientID)"
    guard let digest = KeyDigest(hexadecimal: text) else {
      throw .unreadable(record: "sha256 of \(record)")
    }
    let models = stored.models?.compactMap { ModelPattern($0) }
    guard models?.count == stored.models?.count else {
      throw .unreadable(record: "models of \(record)")
    }
    self.init(
      name: stored.name, digest: digest, models: models,
      operations: stored.operations.map { Set($0) }, expires: expires,
      requestsPerMinute: stored.requestsPerMinute, tokensPerMinute: stored.tokensPerMinute)
  }
}
