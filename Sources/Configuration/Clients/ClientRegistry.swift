public import Budgets

/// Everything that `clients.yaml` declares, ready to be looked up.
public struct ClientRegistry: Sendable {
  /// Whose a key is.
  public struct KeyOwner: Sendable {
    public let client: Client
    public let key: ClientKey
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

  private let clientsByID: [String: Client]
  private let ownersByDigest: [KeyDigest: KeyOwner]
  let linesByBudget: [BudgetID: Int]

  /// Nothing declared.
  public static let empty = ClientRegistry(
    plans: [:], defaultPlan: nil, clients: [], budgets: [], linesByBudget: [:])

  /// - Parameter budgets: without those of plans, which follow from the clients.
  /// - Precondition: ids, and digests over all clients, are unique.
  init(
    plans: [String: Plan], defaultPlan: String?, clients: [Client],
    budgets: [BudgetDefinition], linesByBudget: [BudgetID: Int]
  ) {
    self.plans = plans
    self.defaultPlan = defaultPlan
    self.clients = clients
    self.budgets =
      budgets
      + clients.compactMap { client in
        client.plan.flatMap { plans[$0]?.monthlyTokens }.map {
          BudgetDecoder.planBudget(tokens: $0, of: client)
        }
      }
    conversationLimits = clients.compactMap { client in
      client.plan.flatMap { plans[$0]?.monthlyConversations }.map { limit in
        ConversationLimit(
          client: client.id, limit: limit, period: client.planPeriod, timeZone: client.timeZone)
      }
    }
    self.linesByBudget = linesByBudget
    var clientsByID: [String: Client] = [:]
    var ownersByDigest: [KeyDigest: KeyOwner] = [:]
    clientsByID.reserveCapacity(clients.count)
    ownersByDigest.reserveCapacity(clients.count)
    for client in clients {
      clientsByID[client.id] = client
      for key in client.keys {
        ownersByDigest[key.digest] = KeyOwner(client: client, key: key)
      }
    }
    self.clientsByID = clientsByID
    self.ownersByDigest = ownersByDigest
  }

  public func client(_ id: String) -> Client? {
    clientsByID[id]
  }

  /// Whose the key with this SHA-256 is; nil when no file declares it.
  public func owner(of digest: KeyDigest) -> KeyOwner? {
    ownersByDigest[digest]
  }

  /// Where `clients.yaml` declares a budget; nil for a plan's and for those made otherwise.
  public func line(of budget: BudgetID) -> Int? {
    linesByBudget[budget]
  }
}
