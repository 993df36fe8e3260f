public import Money
public import Time

/// The tenant that pays.
///
/// A class, so that a request carries it along for the price of one reference.
public final class Client: Sendable {
  public enum Status: String, Sendable, Hashable, CaseIterable {
    case active
    /// Its requests get 429 `budget_paused`.
    case suspended
  }

  public let id: String
  public let name: String
  /// The plan's name; nil without a plan.
  public let plan: String?
  /// Whether its declaration in a file names the plan: then nothing else can change it.
  public let declaresPlan: Bool
  /// Since when it is on its plan; nil on the default plan, and where a file names the plan.
  public let subscription: Subscription?
  /// Of its own; nil for its plan's. What is charged: `ClientRegistry.markup(of:)`.
  public let markup: Markup?
  public let timeZone: TimeZoneRules
  public let status: Status
  /// Whether its charges have been unpaid for too long.
  public let isOverdue: Bool
  /// Whether its requests are refused because the ledger can't say what limits them.
  public let isClosed: Bool
  /// What a file declares; that of a client made otherwise is in the ledger alone.
  public let metadata: [String: String]
  /// The payment provider's id of this client.
  public let paymentCustomerID: String?
  /// Whether what its requests say in words is logged; only a file can say so.
  public let logsPrompts: Bool
  public let keys: [ClientKey]
  /// Its own keys at providers, one a provider; only a file can name them.
  public let providerKeys: [ProviderKey]
  /// Where `clients.yaml` declares it; nil when it was made otherwise.
  public let line: Int?
  /// Where `clients.yaml` declares each of its budgets.
  let budgetLines: [BudgetLine]

  struct BudgetLine {
    let name: String
    let line: Int
  }

  public convenience init(
    id: String, name: String, plan: String? = nil, declaresPlan: Bool = false,
    subscription: Subscription? = nil, markup: Markup? = nil, timeZone: TimeZoneRules = .utc,
    status: Status = .active, isOverdue: Bool = false, metadata: [String: String] = [:],
    paymentCustomerID: String? = nil, logsPrompts: Bool = false, keys: [ClientKey] = [],
    providerKeys: [ProviderKey] = [], line: Int? = nil
  ) {
    self.init(
      id: id, name: name, plan: plan, declaresPlan: declaresPlan, subscription: subscription,
      markup: markup, timeZone: timeZone, status: status, isOverdue: isOverdue, isClosed: false,
      metadata: metadata, paymentCustomerID: paymentCustomerID, logsPrompts: logsPrompts,
      keys: keys, providerKeys: providerKeys, line: line, budgetLines: [])
  }

  init(
    id: String, name: String, plan: String?, declaresPlan: Bool, subscription: Subscription?,
    markup: Markup?, timeZone: TimeZoneRules, status: Status, isOverdue: Bool,
    isClosed: Bool = false, metadata: [String: String], paymentCustomerID: String?,
    logsPrompts: Bool, keys: [ClientKey], providerKeys: [ProviderKey], line: Int?,
    budgetLines: [BudgetLine]
  ) {
    self.id = id
    self.name = name
    self.plan = plan
    self.declaresPlan = declaresPlan
    self.subscription = subscription
    self.markup = markup
    self.timeZone = timeZone
    self.status = status
    self.isOverdue = isOverdue
    self.isClosed = isClosed
    self.metadata = metadata
    self.paymentCustomerID = paymentCustomerID
    self.logsPrompts = logsPrompts
    self.keys = keys
    self.providerKeys = providerKeys
    self.line = line
    self.budgetLines = budgetLines
  }

  /// Whether all of its requests are refused.
  public var isPaused: Bool { status == .suspended || isOverdue || isClosed }
}
