internal import Money
internal import Time

/// A budget's definition, with its changes by administrators and by the clock.
struct Budget: Sendable {
  var definition: BudgetDefinition
  /// The currency of all the budget's amounts.
  let currency: Currency
  /// Whether the budget is a plan's own, which credits widen.
  let isPlan: Bool
  /// The exchange rate for requests that don't bring one.
  var rate: FixedDecimal
  var limits: LimitsInForce
  /// The time from which use counts, if the budget was added, changed or cleared while the program
  /// ran; nil otherwise.
  private(set) var countsFrom: Timestamp?
  /// The open window, once it has been computed.
  private var window: BudgetWindow?
  /// The accounts' indices, by subject.
  var accounts: [String: Int] = [:]
  var isPaused = false
  var raise: Raise?
  /// The number of accounts that live holds still need after the budget was retired.
  private var retiredAccounts = 0
  /// Whether a limit in force may have become lower than one under which holds were taken.
  var limitMayHaveShrunk = false

  init(
    _ definition: BudgetDefinition, currency: Currency, rate: FixedDecimal, countsFrom: Timestamp?
  ) {
    self.definition = definition
    self.currency = currency
    isPlan = definition.id.isPlan
    self.rate = rate
    self.countsFrom = countsFrom
    limits = LimitsInForce(definition.limit)
  }

  /// Returns the window that is open at `now`.
  func openWindow(at now: Timestamp) -> BudgetWindow {
    if let window, !window.hasEnded(at: now) { return window }
    let window = BudgetWindow(
      of: definition.period, containing: now, in: definition.timeZone)
    guard let countsFrom, countsFrom > window.start else { return window }
    return window.starting(noEarlierThan: countsFrom)
  }

  /// Returns the window that is open at `now`, and caches it until it ends.
  mutating func rememberOpenWindow(at now: Timestamp) -> BudgetWindow {
    let open = openWindow(at: now)
    window = open
    return open
  }

  /// Makes subjects that aren't known yet count from `instant` too.
  mutating func clear(at instant: Timestamp) {
    // A plan's only subject is its client, whose use is recomputed from the ledger's rows.
    guard !isPlan else { return }
    countsFrom = max(countsFrom ?? instant, instant)
    window = window?.starting(noEarlierThan: instant)
  }

  /// Whether `new` continues this budget's count.
  func keepsCounting(as new: BudgetDefinition, in newCurrency: Currency) -> Bool {
    // A plan's window may move while it is open: its use is recomputed from the ledger's rows.
    definition.per == new.per && (definition.period == new.period || new.id.isPlan)
      && currency == newCurrency
  }

  /// Replaces the definition, and keeps the count.
  mutating func redefine(as new: BudgetDefinition, rate newRate: FixedDecimal) {
    let newLimits = LimitsInForce(new.limit)
    if newLimits.isTighter(than: limits) || new.enforcement != definition.enforcement {
      limitMayHaveShrunk = true
    }
    if new.timeZone != definition.timeZone || new.period != definition.period { window = nil }
    definition = new
    limits = newLimits
    rate = newRate
  }

  /// Takes the budget out of use, with the number of accounts that are still to be removed.
  mutating func retire(with accounts: Int) {
    retiredAccounts = accounts
  }

  /// - Returns: The number of accounts left.
  mutating func buryAccount() -> Int {
    retiredAccounts -= 1
    return retiredAccounts
  }

  func subject(_ value: String) -> Subject {
    Subject(kind: definition.per, value: value)
  }
}
