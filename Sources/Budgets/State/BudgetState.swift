public import Money
internal import Time

/// The settings that apply to all budgets.
public struct BudgetPolicy: Hashable, Sendable {
  /// The billing currency, and the price of a dollar in every currency that budgets count in.
  public let rates: ExchangeRates
  /// The most requests that may wait for one account.
  public let admissionQueue: Int
  /// Whether other replicas use the same limits, so that each replica uses only its leases.
  /// Constant while the program runs.
  public let sharesLimits: Bool
  /// The most subjects of one budget that are counted separately.
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

/// The state of all budgets: their counts, the holds on them, and the requests that wait for them.
///
/// `BudgetState` is a state machine: a command and a time go in, a result and events come out. It
/// uses no clock, thread, lock or disk, so that a whole run can be replayed from its commands. Its
/// owner guards it with one lock, carries out the events (resumes a waiting request's task, sends
/// an alert) and records the charges.
///
/// `checkInvariants` checks these guarantees:
/// - In a `hard` account, settled + held never exceeds the limit in force when a hold is taken.
///   Only four things can exceed it, which no admission prevents: an overrun, use reported from
///   outside, a lowered limit, an ended raise.
/// - A request is held on all its budgets or on none.
/// - The held amount is the sum of the live holds. Each hold ends once.
/// - No request waits that could be admitted, and no request overtakes another.
///
/// A budget has one account for each subject that it has seen. An account is created when it is
/// first used, detects the end of its window when it is next used, and is forgotten when a new
/// account would have the same state.
public struct BudgetState: Sendable {
  var policy: BudgetPolicy
  var budgets = Slab<Budget>()
  var accounts = Slab<Account>()
  var holds = Slab<HeldRequest>()
  var waiters = Slab<Waiter>()
  /// The queues that aren't empty, by account index.
  var queues: [Int: WaitingQueue] = [:]
  /// Accounts with a queue whose window has ended since the queue was last served.
  var reopenedQueues: [Int] = []
  /// The number of requests that have had to wait.
  var arrivals: UInt64 = 0
  /// The number of holds that were dropped without being ended. That is a defect, and a metric
  /// counts it.
  public internal(set) var abandonedHolds = 0

  /// Each client's credits, drawn on when its plan is used up.
  var purses: [String: CreditBalance] = [:]
  /// The counts of clients whose plans limit conversations.
  var conversationCounts: [String: ConversationCount] = [:]
  /// This replica's conversation permits; empty if limits aren't shared.
  var permits = ConversationPermits()
  /// The leases that the ledger must be told about; empty if limits aren't shared.
  var leases = LeaseBook()

  var budgetByID: [BudgetID: Int] = [:]
  /// The budgets of each client, in the order of their definitions.
  var budgetsByClient: [String: [Int]] = [:]
  var budgetsOverEverything: [Int] = []
  /// Budgets that aren't in force, with use that is kept until their windows end.
  var removedBudgets: [UseKey: Int] = [:]

  /// The index at which the search for idle accounts continues.
  private var sweepIndex = 0
  /// The number of places still to search, so that accounts are forgotten at least as fast as they
  /// are created.
  private var placesToSweep = 0

  /// Creates the state at the start of the program. `restore` then adds the ledger's records.
  /// - Throws: `BudgetError.missingRate`.
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

  /// The number of known subjects, over all budgets.
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
  /// Returns the accounts that a request of `caller` uses, each with its open window and nothing
  /// held.
  ///
  /// - Parameter parts: The request's parts, if it names several users or conversations.
  mutating func portions(
    for caller: Caller, rates: ExchangeRates, parts: DemandParts? = nil, at now: Timestamp
  ) -> [Portion] {
    let own = budgetsByClient[caller.client] ?? []
    var portions: [Portion] = []
    portions.reserveCapacity(own.count + budgetsOverEverything.count)
    for budget in own {
      if let parts, appendParts(parts, of: caller, to: &portions, budget, rates, at: now) {
        continue
      }
      let value = caller.value(per: budgets[budget].definition.per)
      portions.append(portion(of: budget, subject: value, rates: rates, at: now))
    }
    for budget in budgetsOverEverything {
      if let parts, appendParts(parts, of: caller, to: &portions, budget, rates, at: now) {
        continue
      }
      let value = caller.valueOverEverything(per: budgets[budget].definition.per)
      portions.append(portion(of: budget, subject: value, rates: rates, at: now))
    }
    return portions
  }

  /// Appends a portion for each subject of a budget that counts by the kind of `parts`.
  ///
  /// - Returns: Whether the budget counts by that kind.
  private mutating func appendParts(
    _ parts: DemandParts, of caller: Caller, to portions: inout [Portion], _ budget: Int,
    _ rates: ExchangeRates, at now: Timestamp
  ) -> Bool {
    let definition = budgets[budget].definition
    let parts = parts.parts(per: definition.per)
    guard !parts.isEmpty else { return false }
    var places: [Int: Int] = [:]
    for (name, part) in parts.sorted(by: { $0.key < $1.key }) {
      let value = definition.id.valueOfSubject(called: name, of: caller.client)
      var portion = portion(of: budget, subject: value, rates: rates, at: now)
      let held = HeldPart(of: [value], part)
      if let place = places[portion.account] {
        portions[place].part = portions[place].part?.merged(with: held)
      } else {
        portion.part = held
        places[portion.account] = portions.count
        portions.append(portion)
      }
    }
    return true
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

  /// Most budgets count in the billing currency, whose rate needs no lookup.
  private func rate(of currency: Currency, in rates: ExchangeRates) -> FixedDecimal? {
    currency == rates.billing ? rates.billingRate : rates.rate(of: currency)
  }

  /// Returns a subject's account with its open window; creates it if the subject has none.
  ///
  /// Apps supply the names of users and conversations, so their number has no bound. When a budget
  /// has `mostSubjects` subjects, all later subjects share one account, `other`. Their use is still
  /// counted and limited, and they need no further memory.
  ///
  /// Example: with `mostSubjects: 100000`, the user after the 100,000th counts in `other`.
  mutating func account(of budget: Int, subject name: String, at now: Timestamp) -> Int {
    if let known = budgets[budget].accounts[name] {
      catchUp(known, with: now)
      return known
    }
    var subject = name
    if budgets[budget].accounts.count >= policy.mostSubjects {
      subject = sharedSubject(for: name, in: budget)
      // Idle subjects are searched for and forgotten here too, as with a new account.
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

  /// Returns the name of the shared subject for names beyond `mostSubjects`. In a budget over all
  /// clients, each client has its own.
  private func sharedSubject(for name: String, in budget: Int) -> String {
    guard budgets[budget].definition.id.client == BudgetID.everything,
      let slash = name.firstIndex(of: "/")
    else { return "other" }
    return "\(name[..<slash])/other"
  }

  /// Ends an account's raise and window if their time has passed.
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

  /// Returns the limits in force for an account, including a raise. The client's credits widen a
  /// plan's limits.
  func limits(of account: Account, at now: Timestamp) -> LimitsInForce {
    let limits = limits(in: account.budget, raisedBy: account.raise, at: now)
    guard budgets[account.budget].isPlan else { return limits }
    return widened(limits, of: account, within: .whole, at: now)
  }

  /// Returns the limits by the account's index. Hot paths use it to avoid a copy of the account.
  func limits(at index: Int, at now: Timestamp) -> LimitsInForce {
    let budget = accounts[index].budget
    let limits = limits(in: budget, raisedBy: accounts[index].raise, at: now)
    guard budgets[budget].isPlan else { return limits }
    return widened(limits, of: accounts[index], within: .whole, at: now)
  }

  /// Returns the limits in force without credits.
  func ownLimits(at index: Int, at now: Timestamp) -> LimitsInForce {
    limits(in: accounts[index].budget, raisedBy: accounts[index].raise, at: now)
  }

  /// Returns the limits in force within `scope`, for an account whose limit is shared.
  func limits(at index: Int, within scope: LimitScope, at now: Timestamp) -> LimitsInForce {
    guard policy.sharesLimits else { return limits(at: index, at: now) }
    let own = ownLimits(at: index, within: scope, at: now)
    guard budgets[accounts[index].budget].isPlan else { return own }
    return widened(own, of: accounts[index], within: scope, at: now)
  }

  /// Returns the limits within `scope` without credits.
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

  /// Forgets idle accounts, a few places at a time, at the rate at which new accounts are created.
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

  /// Two places for each new account cover all accounts before their number has doubled.
  private static let placesSweptForEachNewAccount = 2
}
