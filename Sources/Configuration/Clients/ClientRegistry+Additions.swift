public import Budgets
public import Time

extension ClientRegistry {
  /// The day from which windows of days are counted, for clients that a file declares: 2026-01-01.
  public static var windowAnchor: CivilDate { BudgetDecoder.windowAnchor }

  /// Returns this registry together with clients, keys, budgets, plans and subscriptions that no
  /// file declares.
  ///
  /// The file takes precedence:
  /// - A client or plan that the file also declares is as the file says.
  /// - A key is left out if the file has a key with its name in the same client, or with its digest
  ///   anywhere.
  /// - A budget is left out if the file has one with its ID.
  /// - A subscription is left out if the file names the client's plan.
  /// - A client whose plan doesn't exist is on the default plan.
  ///
  /// - Parameters:
  ///   - clients: The clients, without keys and with unique IDs.
  ///   - keys: The keys, by the ID of a client that is declared or among `clients`; others are left
  ///     out.
  ///   - addedBudgets: The budgets, with unique IDs.
  ///   - subscriptions: The subscriptions, by the IDs of their clients.
  ///   - overdue: The IDs of clients whose charges have been unpaid for too long.
  ///   - closed: The IDs of clients whose requests are refused because the ledger can't report
  ///     their limits; `*` for all clients.
  public func adding(
    clients added: [Client], keys: [String: [ClientKey]],
    budgets addedBudgets: [BudgetDefinition] = [], plans addedPlans: [Plan] = [],
    subscriptions: [String: Subscription] = [:], overdue: Set<String> = [],
    closed: Set<String> = []
  ) -> ClientRegistry {
    let closesAll = closed.contains(BudgetID.everything)
    let allPlans = Dictionary(addedPlans.map { ($0.name, $0) }) { first, _ in first }
      .merging(plans) { _, declared in declared }
    let others = added.filter { client($0.id) == nil }
    let all = (clients + others).map { client in
      let keys = (keys[client.id] ?? []).filter { owner(of: $0.digest) == nil }
      return client.adding(
        keys: keys, subscription: subscriptions[client.id], plans: allPlans,
        defaultPlan: defaultPlan, isOverdue: overdue.contains(client.id),
        isClosed: closesAll || closed.contains(client.id))
    }
    // If only files declare the clients, the existing objects are reused.
    if others.isEmpty, addedPlans.isEmpty, addedBudgets.isEmpty,
      zip(all, clients).allSatisfy({ $0 === $1 })
    {
      return self
    }
    let ownBudgets = budgets.filter { !$0.id.isPlan }
    let known = Set(ownBudgets.map(\.id))
    return ClientRegistry(
      plans: allPlans, defaultPlan: defaultPlan,
      clients: all,
      budgets: ownBudgets + addedBudgets.filter { !known.contains($0.id) && !$0.id.isPlan },
      linesOfEverything: linesOfEverything)
  }
}

extension Client {
  /// Returns the client with the keys whose names are new, on its current plan. Returns itself if
  /// nothing changes.
  fileprivate func adding(
    keys added: [ClientKey], subscription: Subscription?, plans: [String: Plan],
    defaultPlan: String?, isOverdue: Bool, isClosed: Bool
  ) -> Client {
    var subscription = declaresPlan ? nil : subscription
    if let plan = subscription?.plan, plans[plan] == nil { subscription = nil }
    let plan = subscription?.plan ?? plan.flatMap { plans[$0] == nil ? nil : $0 } ?? defaultPlan
    if added.isEmpty, plan == self.plan, subscription == self.subscription,
      isOverdue == self.isOverdue, isClosed == self.isClosed
    {
      return self
    }
    let names = Set(keys.map(\.name))
    return Client(
      id: id, name: name, plan: plan, declaresPlan: declaresPlan, subscription: subscription,
      markup: markup, timeZone: timeZone, status: status, isOverdue: isOverdue, isClosed: isClosed,
      metadata: metadata, paymentCustomerID: paymentCustomerID, logsPrompts: logsPrompts,
      keys: keys + added.filter { !names.contains($0.name) }, providerKeys: providerKeys,
      line: line, budgetLines: budgetLines)
  }
}
