public import Budgets
internal import Money
internal import Pricing
public import Time

/// An event about a budget that people asked to be told, as `alerts` records it.
public struct Alert: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    /// Settled use reached a percentage of the limit.
    case threshold(percent: Int)
    /// The first refusal of a window. In a `shadow` budget, the first refusal that it would have
    /// made.
    case exceeded
    /// A charge, for example `chg_01`, couldn't be collected.
    case paymentFailed(charge: String)
    /// A payment differs from its charge, for example `chg_01`.
    case paymentMismatch(charge: String)
    /// A request needed a price that the price book doesn't have. The first such request on a UTC
    /// day causes the alert.
    case priceMissing
  }

  public var kind: Kind
  public var budgetID: BudgetID
  /// The subject, for example `client:acme` or `user:u1`.
  public var subject: String
  public var window: BudgetWindow
  /// The unit of the figures: tokens, or nano-units of a currency.
  public var unit: CountedUnit
  /// The limit in force, including a raise.
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

  /// - Parameter window: The window in which the refusal is the first.
  public init(firstRefusal denial: Denial, in window: BudgetWindow, at now: Timestamp) {
    self.init(
      kind: .exceeded, budgetID: denial.budget, subject: denial.subject.description,
      window: window, unit: denial.unit, limitValue: denial.limit, used: denial.used,
      createdAt: now)
  }

  /// Creates an alert about a client's charge that couldn't be collected. Its budget is the
  /// client's plan.
  init(unpaid charge: BillingCharge, at now: Timestamp) {
    let amount = charge.money?.nanoUnits ?? .max
    self.init(
      kind: .paymentFailed(charge: charge.name), budgetID: .plan(of: charge.clientID),
      subject: "charge:\(charge.name)", window: BudgetWindow(start: charge.createdAt, end: nil),
      unit: .nanoUnits(charge.currency), limitValue: amount, used: amount, createdAt: now)
  }

  /// Creates an alert about a payment that differs from a client's charge. `used` is the paid
  /// amount.
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

  /// Creates an alert about a missing price. `used` is the number of requests that needed it so
  /// far.
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

  /// Examples: `openai/gpt-99`, `cached_input of openai/gpt-4o-mini`. The part that may be long
  /// comes last.
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
  /// The event's name in deliveries.
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

  /// Whether the alert is about a budget at or near its limit.
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
  /// The ID in alerts about prices that answers lacked. No budget has such a name.
  public static let missingPrices = BudgetID(client: everything, name: "missing prices")
  /// The ID in alerts about prices whose absence caused refusals.
  public static let refusedPrices = BudgetID(client: everything, name: "refused prices")
}

extension Alert {
  /// Writes the fields with the names of `alerts`, in the order of its columns.
  func write(to fields: inout some FieldWriter) {
    fields.write("type", type)
    fields.write("client_id", budgetID.client)
    fields.write("budget_id", budgetID.description)
    fields.write("subject", subject)
    fields.write("window_start", window.start.rfc3339)
    fields.write("window_end", window.end?.rfc3339)
    fields.write("threshold", percent.map { Int64($0) })
    fields.write("unit", unit.recordedName)
    fields.write("limit_value", limitValue)
    fields.write("used", used)
    fields.write("created_at", createdAt.rfc3339)
  }

  init(from fields: some FieldReader) throws(LedgerError) {
    let record = "an alert"
    func text(_ name: String) throws(LedgerError) -> String {
      try fields.requiredText(name, of: record)
    }
    let percent = fields.integer("threshold").map { Int($0) }
    let subject = try text("subject")
    let charge = String(subject.drop { $0 != ":" }.dropFirst())
    let kind: Kind =
      switch try text("type") {
      case Alert.paymentFailed: .paymentFailed(charge: charge)
      case Alert.paymentMismatch: .paymentMismatch(charge: charge)
      case Alert.priceMissing: .priceMissing
      default: percent.map { .threshold(percent: $0) } ?? .exceeded
      }
    self.init(
      kind: kind,
      budgetID: try fields.required(
        "budget_id", of: record, BudgetID(recorded: try text("budget_id"))),
      subject: subject,
      window: BudgetWindow(
        start: try fields.required(
          "window_start", of: record, Timestamp(rfc3339: try text("window_start"))),
        end: fields.text("window_end").flatMap { Timestamp(rfc3339: $0) }),
      unit: try fields.required("unit", of: record, CountedUnit(recorded: try text("unit"))),
      limitValue: fields.integer("limit_value") ?? 0, used: fields.integer("used") ?? 0,
      createdAt: try fields.required(
        "created_at", of: record, Timestamp(rfc3339: try text("created_at"))))
  }
}

extension CountedUnit {
  /// The unit's name in the ledger: `tokens`, `conversations`, or a currency's code.
  public var recordedName: String {
    switch self {
    case .tokens: "tokens"
    case .conversations: "conversations"
    case .nanoUnits(let currency): currency.code
    }
  }

  fileprivate init?(recorded name: String) {
    switch name {
    case "tokens": self = .tokens
    case "conversations": self = .conversations
    default:
      guard let currency = Currency(name) else { return nil }
      self = .nanoUnits(currency)
    }
  }
}
