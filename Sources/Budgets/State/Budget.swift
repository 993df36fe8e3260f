internal import Money
internal import Time

/// A budget's definition, with what administrators and the clock have made of it.
struct Budget: Sendable {
  var definition: BudgetDefinition
  /// The currency of everything that it counts.
  let currency: Currency
  /// Whether it is a plan's own, which credits widen.
  let isPlan: Bool
  /// The rate for requests that don't bring one.
  var rate: FixedDecimal
  var limits: LimitsInForce
  /// Set where the budget came, changed or was cleared while running: what lies before doesn't
  /// count.
  private(set) var countsFrom: Timestamp?
  /// The window that is open, once it has been asked for.
  private var window: BudgetWindow?
  /// The accounts' indices by their subjects.
  var accounts: [String: Int] = [:]
  var isPaused = false
  var raise: Raise?
  /// Once the budget is gone: its accounts that holds still need.
  private var retiredAccounts = 0
  /// Whether a limit in force may have become smaller than one under which holds were taken.
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

  /// The window that is open at `now`.
  func openWindow(at now: Timestamp) -> BudgetWindow {
    if let window, !window.hasEnded(at: now) { return window }
    let window = BudgetWindow(
      of: definition.period, containing: now, in: definition.timeZone)
    guard let countsFrom, countsFrom > window.start else { return window }
    return window.starting(noEarlierThan: countsFrom)
  }

  /// The same, remembered until it ends.
  mutating func rememberOpenWindow(at now: Timestamp) -> BudgetWindow {
    let open = openWindow(at: now)
    window = open
    return open
  }

  /// Lets subjects that aren't known yet count from `instant` too.
  mutating func clear(at instant: Timestamp) {
    // A plan counts its client alone, from what is recorded since.
    guard !isPlan else { return }
    countsFrom = max(countsFrom ?? instant, instant)
    window = window?.starting(noEarlierThan: instant)
  }

  /// Whether `new` goes on with what this budget has counted.
  func keepsCounting(as new: BudgetDefinition, in newCurrency: Currency) -> Bool {
    // A plan's window may move while it is open: its use is counted anew from what is recorded.
    definition.per == new.per && (definition.period == new.period || new.id.isPlan)
      && currency == newCurrency
  }

  /// Takes the place of the definition, and keeps what is counted.
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

  /// Goes out of use, with so many accounts to be buried.
  mutating func retire(with accounts: Int) {
    retiredAccounts = accounts
  }

  /// - Returns: How many accounts are left.
  mutating func buryAccount() -> Int {
    retiredAccounts -= 1
    return retiredAccounts
  }

  func subject(_ value: String) -> Subject {
    Subject(kind: definition.per, value: value)
  }
}
