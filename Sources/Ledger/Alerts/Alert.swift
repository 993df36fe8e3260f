public import Budgets
public import Time

internal import Money
internal import Pricing

/// Something about a budget that people asked to be told, as `alerts` records it.
public struct Alert: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    /// Settled use reached a percentage of the limit.
    case threshold(percent: Int)
    /// The first refusal of a window, or what would have been it in a `shadow` budget.
    case exceeded
    /// A charge could not be collected, such as `chg_01`.
    case paymentFailed(charge: String)
    /// A payment isn't what was charged, such as `chg_01`.
    case paymentMismatch(charge: String)
    /// A request needed a price that the price book doesn't have; the first on a day of UTC.
    case priceMissing
  }

  public var kind: Kind
  public var budgetID: BudgetID
  /// Whose use it is about, such as `client:acme` or `user:u1`.
  public var subject: String
  public var window: BudgetWindow
  /// What the figures count: tokens, or nano-units of a currency.
  public var unit: CountedUnit
  /// The limit in force, a raise included.
  public var limitValue: Int64
  /// Settled so far.
  public var used: Int64
  public var createdAt: Timestamp

  public init(_ threshold: Threshold) {
    self.init(
      kind: .threshold(percent: threshold.percent), budgetID: threshold.budget,
      subject: threshold.subject.description, window: threshold.window, unit: threshold.unit,
      limitValue: threshold.limit, used: threshold.used, createdAt: threshold.reachedAt)
  }

  /// - Parameter window: the one in which it is the first.
  public init(firstRefusal denial: Denial, in window: BudgetWindow, at now: Timestamp) {
    self.init(
      kind: .exceeded, budgetID: denial.budget, subject: denial.subject.description,
      window: window, unit: denial.unit, limitValue: denial.limit, used: denial.used,
      createdAt: now)
  }

  /// That a client's charge could not be collected. Its plan is what the alert is about.
  init(unpaid charge: BillingCharge, at now: Timestamp) {
    let amount = charge.money?.nanoUnits ?? .max
    self.init(
      kind: .paymentFailed(charge: charge.name), budgetID: .plan(of: charge.clientID),
      subject: "charge:\(charge.name)", window: BudgetWindow(start: charge.createdAt, end: nil),
      unit: .nanoUnits(charge.currency), limitValue: amount, used: amount, createdAt: now)
  }

  /// That somebody has paid something else than a client's charge. `used` is what was paid.
  init(mismatchOf charge: BillingCharge, paid: PaidAmount, at now: Timestamp) {
    let money = paid.amount.flatMap { amount in
      paid.currency.flatMap { Money(minorUnits: amount, currency: $0) }
    }
    self.init(
      kind: .paymentMismatch(charge: charge.name), budgetID: .plan(of: charge.clientID),
      subject: "charge:\(charge.name)", window: BudgetWindow(start: charge.createdAt, end: nil),
      unit: .nanoUnits(charge.currency), limitValue: charge.money?.nanoUnits ?? .max,
      used: max(0, money?.nanoUnits ?? 0), createdAt: now)
  }

  /// That requests need a price which is missing. `used` is how many did when it was written.
  init(_ sighting: MissingPriceSighting) {
    let today = TimeZoneRules.utc.civilDate(of: sighting.lastSeen)
    let price = sighting.price
    self.init(
      kind: .priceMissing,
      budgetID: sighting.outcome == .refused ? .refusedPrices : .missingPrices,
      subject: Alert.subject(price),
      window: BudgetWindow(
        start: TimeZoneRules.utc.startOfDay(today),
        end: TimeZoneRules.utc.startOfDay(today.adding(days: 1))),
      unit: .tokens, limitValue: 0, used: sighting.requests, createdAt: sighting.lastSeen)
  }

  /// `openai/gpt-99`, or `cached_input of openai/gpt-4o-mini`. What may be long comes last.
  private static func subject(_ price: MissingPrice) -> String {
    let model = "\(price.provider)/\(price.model)"
    return price.dimension == .model ? model : "\(price.dimension) of \(model)"
  }

  init(
    kind: Kind, budgetID: BudgetID, subject: String, window: BudgetWindow, unit: CountedUnit,
    limitValue: Int64, used: Int64, createdAt: Timestamp
  ) {
    self.kind = kind
    self.budgetID = budgetID
    self.subject = subject
    self.window = window
    self.unit = unit
    self.limitValue = limitValue
    self.used = used
    self.createdAt = createdAt
  }
}

extension Alert {
  /// What happened, as deliveries name it.
  public var type: String {
    switch kind {
    case .threshold: "budget.threshold"
    case .exceeded: "budget.exceeded"
    case .paymentFailed: Alert.paymentFailed
    case .paymentMismatch: Alert.paymentMismatch
    case .priceMissing: Alert.priceMissing
    }
  }

  static let paymentFailed = "payment.failed"
  static let paymentMismatch = "payment.mismatch"
  static let priceMissing = "price.missing"

  /// Whether a budget is at its limit or near it.
  public var isAboutBudget: Bool {
    switch kind {
    case .threshold, .exceeded: true
    case .paymentFailed, .paymentMismatch, .priceMissing: false
    }
  }

  /// The percentage that was reached; nil for a refusal.
  public var percent: Int? {
    if case .threshold(let percent) = kind { percent } else { nil }
  }
}

extension BudgetID {
  /// Stands in alerts for the prices that answers lacked. No budget has such a name.
  public static let missingPrices = BudgetID(client: everything, name: "missing prices")
  /// The same for prices for want of which requests were refused.
  public static let refusedPrices = BudgetID(client: everything, name: "refused prices")
}
