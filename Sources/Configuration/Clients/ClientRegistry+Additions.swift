public import Budgets
public import Time

extension ClientRegistry {
  /// What windows of days count from, for clients that a file declares: 2026-01-01.
  public static var windowAnchor: CivilDate { BudgetDecoder.windowAnchor }

  /// This registry together with clients, keys and budgets that no file declares.
  ///
  /// The file goes before: a client that it declares too is as the file says, and a key is left
  /// out where the file has one of its name in that client, or of its digest anywhere; and a budget
  /// where it has one of that id. A client whose plan no file declares is on the default plan.
  ///
  /// - Parameters:
  ///   - clients: Without keys; unique ids.
  ///   - keys: By the id of a client that is declared or among `clients`; others are left out.
  ///   - addedBudgets: With unique ids.
  public func adding(
    clients added: [Client], keys: [String: [ClientKey]],
    budgets addedBudgets: [BudgetDefinition] = []
  ) -> ClientRegistry {
    let others = added.filter { client($0.id) == nil }.map(onKnownPlan)
    let planBudgets = others.compactMap { client in
      client.plan.flatMap { plans[$0]?.monthlyTokens }.map {
        BudgetDecoder.planBudget(tokens: $0, client: client.id, zone: client.timeZone)
      }
    }
    let known = Set((budgets + planBudgets).map(\.id))
    let otherBudgets = addedBudgets.filter { !known.contains($0.id) }
    return ClientRegistry(
      plans: plans, defaultPlan: defaultPlan,
      clients: (clients + others).map { client in
        keys[client.id].map { client.adding(keys: $0.filter { owner(of: $0.digest) == nil }) }
          ?? client
      },
      budgets: budgets + planBudgets + otherBudgets, linesByBudget: linesByBudget)
  }

  private func onKnownPlan(_ client: Client) -> Client {
    if let plan = client.plan, plans[plan] != nil { return client }
    return client.copy(plan: defaultPlan, keys: client.keys)
  }
}

extension Client {
  /// The same with keys whose names it doesn't have yet.
  fileprivate func adding(keys added: [ClientKey]) -> Client {
    let names = Set(keys.map(\.name))
    return copy(plan: plan, keys: keys + added.filter { !names.contains($0.name) })
  }

  fileprivate func copy(plan: String?, keys: [ClientKey]) -> Client {
    Client(
      id: id, name: name, plan: plan, timeZone: timeZone, status: status, metadata: metadata,
      paymentCustomerID: paymentCustomerID, keys: keys, line: line)
  }
}
