public import Money
public import Time

/// A tenant that pays for its requests.
///
/// It is a class, so that a request can carry it at the cost of one reference.
public final class Client: Sendable {
  public enum Status: String, Sendable, Hashable, CaseIterable {
    case active
    /// The client's requests get 429 `budget_paused`.
    case suspended
  }

  public let id: String
  public let name: String
  /// The plan's name; nil without a plan.
  public let plan: String?
  /// Whether the client's declaration in a file names the plan. Only the file can then change it.
  public let declaresPlan: Bool
  /// The client's subscription; nil on the default plan, and if a file names the plan.
  public let subscription: Subscription?
  /// The client's own markup; nil for its plan's. `ClientRegistry.markup(of:)` returns the markup
  /// in force.
  public let markup: Markup?
  public let timeZone: TimeZoneRules
  public let status: Status
  /// Whether its charges have been unpaid for too long.
  public let isOverdue: Bool
  /// Whether its requests are refused because the ledger can't report its limits.
  public let isClosed: Bool
  /// The metadata in its file; that of other clients is only in the ledger.
  public let metadata: [String: String]
  /// The payment provider's ID of the client; nil if it has none.
  public let paymentCustomerID: String?
  /// Whether the text of its requests is logged. Only a file can set this.
  public let logsPrompts: Bool
  public let keys: [ClientKey]
  /// Its own keys at providers, one for each provider. Only a file can name them.
  public let providerKeys: [ProviderKey]
  /// The line of its declaration in `clients.yaml`; nil for other clients.
  public let line: Int?
  /// The lines of its budgets' declarations in `clients.yaml`.
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
