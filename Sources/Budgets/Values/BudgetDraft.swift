public import Money

/// A budget as a file, a call, a form or a command states it. Each field is read already, but the
/// fields aren't checked together yet.
public struct BudgetDraft: Sendable {
  /// The units that the budget limits, and with a currency's code also the currency.
  public enum Mode: Hashable, Sendable {
    case tokens, cost, both
    case costIn(Currency)

    /// The rule of `init`, for messages.
    public static let rule = "tokens, cost, both, or a currency such as brl"

    public init?(_ text: String) {
      switch text {
      case "tokens": self = .tokens
      case "cost": self = .cost
      case "both": self = .both
      default:
        guard let currency = Currency(text) else { return nil }
        self = .costIn(currency)
      }
    }
  }

  /// The allowed limits in tokens.
  public static let tokenCounts = 0...BudgetLimit.largestTokens

  public var per: BudgetDefinition.Per?
  public var mode: Mode?
  public var tokens: Int64?
  /// In nano-units.
  public var cost: Int64?
  public var currency: Currency?
  public var period: BudgetPeriod?
  public var enforcement: BudgetDefinition.Enforcement?
  public var pausesAtLimit: Bool?
  public var alerts: AlertThresholds?

  public init() {}

  /// Checks the fields together, and sets the defaults of absent ones.
  ///
  /// - Parameter rates: The exchange rates with the billing currency, which is the currency of a
  ///   cost that names none.
  /// - Throws: `FieldMistake` for the first wrong field.
  public func terms(_ rates: ExchangeRates) throws(FieldMistake) -> BudgetTerms {
    BudgetTerms(
      per: per ?? .client, limit: try limit(rates), period: period ?? .monthly,
      enforcement: pausesAtLimit ?? true ? enforcement ?? .hard : .shadow,
      alerts: (alerts ?? .usual).percentages)
  }

  private func limit(_ rates: ExchangeRates) throws(FieldMistake) -> BudgetLimit {
    if let mode {
      try check("tokens", isGiven: tokens != nil, isNeeded: mode == .tokens || mode == .both)
      try check("cost", isGiven: cost != nil, isNeeded: mode != .tokens)
    }
    switch (tokens, cost) {
    case (nil, nil):
      throw FieldMistake(
        "tokens", "a budget without a limit", allowed: "tokens, cost, or both", kind: .missing)
    case (let tokens?, nil):
      guard currency == nil else {
        throw FieldMistake(
          "currency", "currency is not used without cost", allowed: "leave it out, or give cost")
      }
      return .tokens(tokens)
    case (nil, let cost?): return .cost(try money(cost, rates))
    case (let tokens?, let cost?): return .both(tokens: tokens, cost: try money(cost, rates))
    }
  }

  private func check(
    _ field: String, isGiven: Bool, isNeeded: Bool
  ) throws(FieldMistake) {
    if isGiven == isNeeded { return }
    if isNeeded {
      throw FieldMistake(
        field, "mode needs \(field), which is missing", allowed: "give \(field)", kind: .missing)
    }
    throw FieldMistake(
      field, "\(field) is not used by this mode", allowed: "leave it out, or mode: both")
  }

  private func money(_ nanoUnits: Int64, _ rates: ExchangeRates) throws(FieldMistake) -> Money {
    guard case .costIn(let named) = mode else {
      let currency = currency ?? rates.billing
      try rates.requireRate(of: currency)
      return Money(nanoUnits: nanoUnits, currency: currency)
    }
    if let currency, currency != named {
      throw FieldMistake(
        "currency", "currency: \(currency.code) contradicts mode", allowed: named.code)
    }
    try rates.requireRate(of: named, "mode")
    return Money(nanoUnits: nanoUnits, currency: named)
  }
}

/// A budget without its name and time zone: what a valid `BudgetDraft` states.
public struct BudgetTerms: Hashable, Sendable {
  public let per: BudgetDefinition.Per
  public let limit: BudgetLimit
  public let period: BudgetPeriod
  public let enforcement: BudgetDefinition.Enforcement
  public let alerts: [Int]
}
