public import Budgets
public import Money

/// Everything that `clients.yaml` declares, indexed for lookups.
public struct ClientRegistry: Sendable {
  /// The client that owns a key.
  public struct KeyOwner: Sendable {
    public let client: Client
    /// The index of the key in the client's keys.
    let place: Int

    public var key: ClientKey { client.keys[place] }
  }

  public let plans: [String: Plan]
  /// The plan of clients that name none.
  public let defaultPlan: String?
  /// The clients in the order of the file.
  public let clients: [Client]
  /// The budgets of clients, of their plans (`CLIENT/plan`) and over all clients (`*/NAME`).
  public let budgets: [BudgetDefinition]
  /// The limits of the clients whose plans limit conversations.
  public let conversationLimits: [ConversationLimit]

  /// The markups of the plans that have one.
  private let markups: [String: Markup]
  private let clientsByID: [String: Client]
  private let ownersByDigest: [KeyDigest: KeyOwner]
  /// The lines of the declarations of budgets over all clients in `clients.yaml`.
  let linesOfEverything: [String: Int]

  /// A registry without declarations.
  public static let empty = ClientRegistry(
    plans: [:], defaultPlan: nil, clients: [], budgets: [], linesOfEverything: [:])

  /// - Parameters:
  ///   - budgets: The budgets without those of plans, which follow from the clients.
  ///   - owners: The owners of all keys, if they are already known.
  /// - Precondition: IDs are unique, and so are digests over all clients.
  init(
    plans: [String: Plan], defaultPlan: String?, clients: [Client],
    budgets: [BudgetDefinition], linesOfEverything: [String: Int],
    owners: [KeyDigest: KeyOwner]? = nil
  ) {
    self.plans = plans
    markups = plans.compactMapValues(\.markup)
    self.defaultPlan = defaultPlan
    self.clients = clients
    // If no plan has a budget, the array isn't copied.
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

  /// Returns the markup on a client's prices: its own, or else its plan's.
  public func markup(of client: Client) -> Markup {
    if let own = client.markup { return own }
    if markups.isEmpty { return .none }
    return client.plan.flatMap { markups[$0] } ?? .none
  }

  /// Returns the owner of the key with this SHA-256; nil if no key has it.
  public func owner(of digest: KeyDigest) -> KeyOwner? {
    ownersByDigest[digest]
  }

  /// Returns the line of a budget's declaration in `clients.yaml`; nil for a plan's budget, and for
  /// budgets that aren't declared there.
  public func line(of budget: BudgetID) -> Int? {
    if budget.client == BudgetID.everything { return linesOfEverything[budget.name] }
    return client(budget.client)?.budgetLines.first { $0.name == budget.name }?.line
  }

  /// Whether a file declares a budget, or the plan that it belongs to.
  public func declares(_ budget: BudgetID) -> Bool {
    guard budget.isPlan else { return line(of: budget) != nil }
    return client(budget.client)?.plan.flatMap { plans[$0] }?.line != nil
  }
}
