public import Money
internal import Time

/// What holds for all budgets alike.
public struct BudgetPolicy: Hashable, Sendable {
  /// The billing currency, and what a dollar costs in every currency that budgets count in.
  public let rates: ExchangeRates
  /// The most requests that wait for one account.
  public let admissionQueue: Int
  /// Whether other replicas use the same limits, so that each uses only what it has leased. Stays
  /// as it is while the program runs.
  public let sharesLimits: Bool
  /// The most subjects of one budget that are counted apart.
  public let mostSubjects: Int

  public init(
    rates: ExchangeRates, admissionQueue: Int = BudgetPolicy.defaultAdmissionQueue,
    sharesLimits: Bool = false, mostSubjects: Int = BudgetPolicy.defaultMostSubjects
  ) {
    precondition(admissionQueue >= 0, "a queue's limit is never negative")
    precondition(mostSubjects > 0, "a budget has a subject")
    self.mostSubjects = mostSubjects
    self.rates = rates
    self.admissionQueue = admissionQueue
    self.sharesLimits = sharesLimits
  }

  public static let defaultAdmissionQueue = 1_000
  public static let defaultMostSubjects = 100_000
}

/// Every budget, what it has counted, and who holds or waits for what is left of it.
///
/// This is a state machine: a command and an instant go in, an answer and events come out. It knows
/// no clock, thread, lock or disk, so that a whole run can be played again from its commands. The
/// one who owns it puts one lock around it, carries the events out (a waiting request's task is
/// resumed, an alert is sent) and has the charges recorded.
///
/// What it promises, and `checkInvariants` checks:
/// - In a `hard` account, settled + held never exceeds the limit in force when a hold is taken.
///   Only what no admission can prevent takes it further: an overrun, use reported from outside, a
///   limit that was lowered, a raise that has ended.
/// - A request is held on all its budgets or on none.
/// - What is held is the sum of the holds that live. Each ends once.
/// - Nobody waits who could go, and nobody overtakes.
///
/// A budget has an account for each subject seen. Accounts appear when they are touched, find out
/// by themselves that their window has ended, and are forgotten once they say nothing any more.
public struct BudgetState: Sendable {
  var policy: BudgetPolicy
  var budgets = Slab<Budget>()
  var accounts = Slab<Account>()
  var holds = Slab<HeldRequest>()
  var waiters = Slab<Waiter>()
  /// The queues that aren't empty, by their accounts' indices.
  var queues: [Int: WaitingQueue] = [:]
  /// Queued accounts whose window has ended since they were last looked at.
  var reopenedQueues: [Int] = []
  /// How many requests have had to wait.
  var arrivals: UInt64 = 0
  /// Holds that were dropped without being ended: a defect that a metric counts.
  public internal(set) var abandonedHolds = 0

  /// What clients may draw when their plans are used up.
  var purses: [String: CreditBalance] = [:]
  /// Of the clients whose plans limit conversations.
  var conversationCounts: [String: ConversationCount] = [:]
  /// Of their conversations; none where limits aren't shared.
  var permits = ConversationPermits()
  /// Which leases the ledger has to hear of; empty where limits aren't shared.
  var leases = LeaseBook()

  var budgetByID: [BudgetID: Int] = [:]
  /// The budgets of each client, in the order of their definition.
  var budgetsByClient: [String: [Int]] = [:]
  var budgetsOverEverything: [Int] = []
  /// Budgets that aren't in force, and whose use is kept until its windows end.
  var removedBudgets: [UseKey: Int] = [:]

  /// Where the search for idle accounts goes on.
  private var sweepIndex = 0
  /// How many places it still owes a look, which keeps forgetting ahead of appearing.
  private var placesToSweep = 0

  /// The budgets as they stand when the program starts; what the ledger remembers comes through
  /// `restore`.
  public init(
    _ definitions: [BudgetDefinition], policy: BudgetPolicy
  ) throws(BudgetError) {
    self.policy = policy
    budgets.reserveCapacity(definitions.count)
    budgetByID.reserveCapacity(definitions.count)
    budgetsByClient.reserveCapacity(definitions.count)
    for definition in definitions {
      let rate = try policy.rate(for: definition)
      insert(definition, rate: rate, countsFrom: nil)
    }
  }

  /// How many subjects are remembered, over all budgets.
  public var subjectCount: Int { accounts.count }

  mutating func insert(
    _ definition: BudgetDefinition, rate: FixedDecimal, countsFrom: Timestamp?
  ) {
    let currency = definition.currency(billing: policy.rates.billing)
    let budget = Budget(definition, currency: currency, rate: rate, countsFrom: countsFrom)
    enlist(budgets.insert(budget).index, as: definition.id)
  }

  mutating func enlist(_ budget: Int, as id: BudgetID) {
    let previous = budgetByID.updateValue(budget, forKey: id)
    precondition(previous == nil, "two budgets are called \(id)")
    if id.client == BudgetID.everything {
      budgetsOverEverything.append(budget)
    } else {
      budgetsByClient[id.client, default: []].append(budget)
    }
  }
}

extension BudgetPolicy {
  func rate(for definition: BudgetDefinition) throws(BudgetError) -> FixedDecimal {
    let currency = definition.currency(billing: rates.billing)
    guard let rate = rates.rate(of: currency) else {
      throw .missingRate(currency, definition.id)
    }
    return rate
  }
}

// MARK: - Finding accounts

extension BudgetState {
  /// The accounts that a request of `caller` touches, each with its open window, nothing held yet.
  mutating func portions(
    for caller: Caller, rates: ExchangeRates, at now: Timestamp
  ) -> [Portion] {
    let own = budgetsByClient[caller.client] ?? []
    var portions: [Portion] = []
    portions.reserveCapacity(own.count + budgetsOverEverything.count)
    for budget in own {
      let value = caller.value(per: budgets[budget].definition.per)
      portions.append(portion(of: budget, subject: value, rates: rates, at: now))
    }
    for budget in budgetsOverEverything {
      let value = caller.valueOverEverything(per: budgets[budget].definition.per)
      portions.append(portion(of: budget, subject: value, rates: rates, at: now))
    }
    return portions
  }

  private mutating func portion(
    of budget: Int, subject: String, rates: ExchangeRates, at now: Timestamp
  ) -> Portion {
    let account = account(of: budget, subject: subject, at: now)
    let currency = budgets[budget].currency
    return Portion(
      account: account, epoch: accounts[account].epoch, window: accounts[account].window,
      currency: currency, rate: rate(of: currency, in: rates) ?? budgets[budget].rate)
  }

  /// Most budgets count in the billing currency, for which nothing has to be looked up.
  private func rate(of currency: Currency, in rates: ExchangeRates) -> FixedDecimal? {
    currency == rates.billing ? rates.billingRate : rates.rate(of: currency)
  }

  /// The account of a subject, new where it has none, with its open window.
  ///
  /// Names of users and conversations come from apps, which can make up any number of them. When a
  /// budget has `mostSubjects` of them, the subjects that come after share one account, `other`:
  /// they are never free, and need no further memory.
  mutating func account(of budget: Int, subject name: String, at now: Timestamp) -> Int {
    if let known = budgets[budget].accounts[name] {
      catchUp(known, with: now)
      return known
    }
    var subject = name
    if budgets[budget].accounts.count >= policy.mostSubjects {
      subject = sharedSubject(for: name, in: budget)
      // Idle subjects make room for new ones, as they would where there is room.
      placesToSweep += BudgetState.placesSweptForEachNewAccount
      if let shared = budgets[budget].accounts[subject] {
        catchUp(shared, with: now)
        return shared
      }
    }
    let window = budgets[budget].rememberOpenWindow(at: now)
    let account = Account(budget: budget, subject: subject, window: window)
    let index = accounts.insert(account).index
    budgets[budget].accounts[subject] = index
    if policy.sharesLimits { openLease(on: index, at: now) }
    placesToSweep += BudgetState.placesSweptForEachNewAccount
    return index
  }

  /// The subject that stands for those beyond `mostSubjects`. In a budget over everything each
  /// client has its own.
  private func sharedSubject(for name: String, in budget: Int) -> String {
    guard budgets[budget].definition.id.client == BudgetID.everything,
      let slash = name.firstIndex(of: "/")
    else { return "other" }
    return "\(name[..<slash])/other"
  }

  /// Lets an account find out what the clock has ended: its raise, its window.
  mutating func catchUp(_ index: Int, with now: Timestamp) {
    guard !accounts[index].isRetired else { return }
    if let raise = accounts[index].raise, raise.until <= now {
      accounts[index].raise = nil
      accounts[index].mayExceedLimit = true
    }
    guard accounts[index].window.hasEnded(at: now) else { return }
    if accounts[index].lease != nil { endLease(on: index) }
    accounts[index].begin(budgets[accounts[index].budget].rememberOpenWindow(at: now))
    if policy.sharesLimits { openLease(on: index, at: now) }
    if accounts[index].isQueued { reopenedQueues.append(index) }
  }

  /// The limits in force for an account, a raise included.
  /// A plan's is widened by the credits of its client.
  func limits(of account: Account, at now: Timestamp) -> LimitsInForce {
    let limits = limits(in: account.budget, raisedBy: account.raise, at: now)
    guard budgets[account.budget].isPlan else { return limits }
    return widened(limits, of: account, within: .whole, at: now)
  }

  /// The same by the account's index: hot paths copy no account.
  func limits(at index: Int, at now: Timestamp) -> LimitsInForce {
    let budget = accounts[index].budget
    let limits = limits(in: budget, raisedBy: accounts[index].raise, at: now)
    guard budgets[budget].isPlan else { return limits }
    return widened(limits, of: accounts[index], within: .whole, at: now)
  }

  /// The limits in force without what credits add.
  func ownLimits(at index: Int, at now: Timestamp) -> LimitsInForce {
    limits(in: accounts[index].budget, raisedBy: accounts[index].raise, at: now)
  }

  /// The limits in force as far as `scope` reaches, for an account whose limit is shared.
  func limits(at index: Int, within scope: LimitScope, at now: Timestamp) -> LimitsInForce {
    guard policy.sharesLimits else { return limits(at: index, at: now) }
    let own = ownLimits(at: index, within: scope, at: now)
    guard budgets[accounts[index].budget].isPlan else { return own }
    return widened(own, of: accounts[index], within: scope, at: now)
  }

  /// The same without what credits add.
  func ownLimits(at index: Int, within scope: LimitScope, at now: Timestamp) -> LimitsInForce {
    accounts[index].narrowed(ownLimits(at: index, at: now), to: scope)
  }

  private func limits(in budget: Int, raisedBy ownRaise: Raise?, at now: Timestamp) -> LimitsInForce
  {
    let limits = budgets[budget].limits
    guard let raise = ownRaise ?? budgets[budget].raise, now < raise.until else {
      return limits
    }
    return limits.raised(by: raise)
  }

  /// Forgets idle accounts, a few places at a time, in step with the new ones that appear.
  mutating func sweep(at now: Timestamp) {
    while placesToSweep > 0, accounts.endIndex > 0 {
      placesToSweep -= 1
      sweepIndex = (sweepIndex + 1) % accounts.endIndex
      if accounts.isUsed(sweepIndex), accounts[sweepIndex].isIdle(at: now),
        !leases.drawn.contains(sweepIndex)
      {
        let budget = accounts[sweepIndex].budget
        let isRetired = accounts[sweepIndex].isRetired
        forget(sweepIndex)
        if isRetired { forgetIfEmpty(budget) }
      }
    }
  }

  mutating func forget(_ index: Int) {
    budgets[accounts[index].budget].accounts[accounts[index].subject] = nil
    accounts.remove(at: index)
  }

  /// Two places for each new account pass over all of them before they have doubled.
  private static let placesSweptForEachNewAccount = 2
}
