public import Budgets
public import Money

/// Everything that `clients.yaml` declares, ready to be looked up.
public struct ClientRegistry: Sendable {
  /// Whose a key is.
  public struct KeyOwner: Sendable {
    public let client: Client
    /// Which of the client's keys it is.
    let place: Int

    public var key: ClientKey { client.keys[place] }
  }

  public let plans: [String: Plan]
  /// The plan of clients that name none.
  public let defaultPlan: String?
  /// In the order of the file.
  public let clients: [Client]
  /// Of clients, of their plans (`CLIENT/plan`) and of everything (`*/NAME`).
  public let budgets: [BudgetDefinition]
  /// Of the clients whose plans limit conversations.
  public let conversationLimits: [ConversationLimit]

  /// Of the plans that have one.
  private let markups: [String: Markup]
  private let clientsByID: [String: Client]
  private let ownersByDigest: [KeyDigest: KeyOwner]
  /// Of the budgets of everything, where `clients.yaml` declares each.
  let linesOfEverything: [String: Int]

  /// Nothing declared.
  public static let empty = ClientRegistry(
    plans: [:], defaultPlan: nil, clients: [], budgets: [], linesOfEverything: [:])

  /// - Parameters:
  ///   - budgets: without those of plans, which follow from the clients.
  ///   - owners: of all keys of the clients, where that is known already.
  /// - Precondition: ids, and digests over all clients, are unique.
  init(
    plans: [String: Plan], defaultPlan: String?, clients: [Client],
    budgets: [BudgetDefinition], linesOfEverything: [String: Int],
    owners: [KeyDigest: KeyOwner]? = nil
  ) {
    self.plans = plans
    markups = plans.compactMapValues(\.markup)
    self.defaultPlan = defaultPlan
    self.clients = clients
    // Where there are none of plans, these many stay where they are.
    var allBudgets = budgets
    for client in clients {
      guard let tokens = client.plan.flatMap({ plans[$0]?.monthlyTokens }) else { continue }
      allBudgets.append(BudgetDecoder.planBudget(tokens: tokens, of: client))
    }
    self.budgets = allBudgets
    conversationLimits = clients.compactMap { client in
      client.plan.flatMap { plans[$0]?.monthlyConversations }.map { limit in
        ConversationLimit(
          client: client.id, limit: limit, period: client.planPeriod, timeZone: client.timeZone)
      }
    }
    self.linesOfEverything = linesOfEverything
    var clientsByID: [String: Client] = [:]
    clientsByID.reserveCapacity(clients.count)
    for client in clients { clientsByID[client.id] = client }
    self.clientsByID = clientsByID
    ownersByDigest = owners ?? ClientRegistry.owners(of: clients)
  }

  private static func owners(of clients: [Client]) -> [KeyDigest: KeyOwner] {
    var owners: [KeyDigest: KeyOwner] = [:]
    owners.reserveCapacity(clients.reduce(0) { $0 + $1.keys.count })
    for client in clients {
      for place in client.keys.indices {
        owners[client.keys[place].digest] = KeyOwner(client: client, place: place)
      }
    }
    return owners
  }

  /// The files that clients name for their own keys at providers, as `clients.yaml` names them.
  var secretFiles: [String] {
    clients.flatMap { client in
      client.providerKeys.compactMap { key in
        if case .file(let path) = key.secret.source { path } else { nil }
      }
    }
  }

  public func client(_ id: String) -> Client? {
    clientsByID[id]
  }

  /// What a client is charged more than its prices, or less: its own markup, else its plan's.
  public func markup(of client: Client) -> Markup {
    if let own = client.markup { return own }
    if markups.isEmpty { return .none }
    return client.plan.flatMap { markups[$0] } ?? .none
  }

  /// Whose the key with this SHA-256 is; nil when no file declares it.
  public func owner(of digest: KeyDigest) -> KeyOwner? {
    ownersByDigest[digest]
  }

  /// Where `clients.yaml` declares a budget; nil for a plan's and for those made otherwise.
  public func line(of budget: BudgetID) -> Int? {
    if budget.client == BudgetID.everything { return linesOfEverything[budget.name] }
    return client(budget.client)?.budgetLines.first { $0.name == budget.name }?.line
  }

  /// Whether a file declares a budget, or the plan that it is of.
  public func declares(_ budget: BudgetID) -> Bool {
    guard budget.isPlan else { return line(of: budget) != nil }
    return client(budget.client)?.plan.flatMap { plans[$0] }?.line != nil
  }
}
