public import Budgets
public import Time

extension ClientRegistry {
  /// What windows of days count from, for clients that a file declares: 2026-01-01.
  public static var windowAnchor: CivilDate { BudgetDecoder.windowAnchor }

  /// This registry together with clients, keys, budgets, plans and subscriptions that no file
  /// declares.
  ///
  /// The file goes before: a client or plan that it declares too is as the file says, and a key is
  /// left out where the file has one of its name in that client, or of its digest anywhere; a
  /// budget where it has one of that id; a subscription where it names the client's plan. A client
  /// whose plan there isn't is on the default plan.
  ///
  /// - Parameters:
  ///   - clients: Without keys; unique ids.
  ///   - keys: By the id of a client that is declared or among `clients`; others are left out.
  ///   - addedBudgets: With unique ids.
  ///   - subscriptions: By the ids of their clients.
  ///   - overdue: The ids of clients whose charges have been unpaid for too long.
  ///   - closed: The ids of clients whose requests are refused, since the ledger can't say what
  ///     limits them; `*` for all clients.
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
    // Of many clients that files alone declare, nothing is made anew.
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
  /// The same with keys whose names it doesn't have yet, on the plan that it is on now; itself
  /// where that changes nothing.
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
