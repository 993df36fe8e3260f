internal import Budgets
internal import Configuration
internal import JSON
internal import Ledger
internal import Money
internal import Time

/// The fields of a budget in a request body. They have the names and bounds of `clients.yaml`.
struct BudgetFields {
  static let fields =
    ["client_id": .name]
    + ([
      "name": .name, "per": .choice(of: BudgetDefinition.Per.self), "mode": .plainText,
      "tokens": .integer(0...BudgetLimit.largestTokens), "cost": .amount, "currency": .currency,
      "period": .plainText, "enforcement": .choice(of: BudgetDefinition.Enforcement.self),
      "pause_at_limit": .boolean, "alerts": .list(of: .integer(1...100), atMost: 100),
    ] as Fields).clearable

  private static let defaultAlerts = [80, 90, 100]

  private let per: BudgetDefinition.Per
  private let limit: BudgetLimit
  private let period: String
  private let enforcement: BudgetDefinition.Enforcement
  private let alerts: [Int]

  init(_ body: Body, rates: ExchangeRates) throws(APIError) {
    per = try body.choice("per") ?? .client
    limit = try BudgetFields.limit(body, rates)
    period = try BudgetFields.period(body)
    let enforcement: BudgetDefinition.Enforcement? = try body.choice("enforcement")
    let pausesAtLimit = try body.boolean("pause_at_limit") ?? true
    self.enforcement = pausesAtLimit ? enforcement ?? .hard : .shadow
    alerts = try BudgetFields.alerts(body)
  }

  func budget(_ id: BudgetID, at now: Timestamp) -> StoredBudget {
    StoredBudget(
      id: id, per: per, limit: limit, period: period, enforcement: enforcement, alerts: alerts,
      createdAt: now)
  }

  private static func limit(_ body: Body, _ rates: ExchangeRates) throws(APIError) -> BudgetLimit {
    var named: Currency?
    var mode = BudgetLimit.Mode.both
    switch body.value("mode")?.string {
    case "tokens": mode = .tokens
    case "cost": mode = .cost
    case "both": mode = .both
    case let text?:
      named = Currency(text)
      guard named != nil else {
        throw .invalidValue("mode", allowed: "tokens, cost, both, or a currency such as brl")
      }
      mode = .cost
    case nil where body.value("mode") != nil:
      throw .invalidValue("mode", allowed: "tokens, cost, both, or a currency such as brl")
    case nil:
      let hasBoth = body.value("tokens") != nil && body.value("cost") != nil
      if !hasBoth { mode = body.value("cost") == nil ? .tokens : .cost }
    }
    let currency = try currency(body, named, rates)
    let tokens = try body.integer("tokens", in: 0...BudgetLimit.largestTokens)
    let cost = try body.amount("cost").map { Money(nanoUnits: $0, currency: currency) }
    try require("tokens", isGiven: tokens != nil, isNeeded: mode != .cost)
    try require("cost", isGiven: cost != nil, isNeeded: mode != .tokens)
    if mode == .tokens { try require("currency", isGiven: body.value("currency") != nil) }
    switch (tokens, cost) {
    case (let tokens?, let cost?): return .both(tokens: tokens, cost: cost)
    case (let tokens?, nil): return .tokens(tokens)
    case (nil, let cost?): return .cost(cost)
    case (nil, nil): throw .missingField("tokens")
    }
  }

  private static func require(
    _ name: String, isGiven: Bool, isNeeded: Bool = false
  ) throws(APIError) {
    if isGiven == isNeeded { return }
    if isNeeded { throw .missingField(name) }
    let modes = name == "tokens" ? "tokens or both" : "cost or both"
    throw .invalidValue(name, allowed: "only with mode \(modes)")
  }

  private static func currency(
    _ body: Body, _ named: Currency?, _ rates: ExchangeRates
  ) throws(APIError) -> Currency {
    let given = try body.currency("currency")
    if let named, let given, named != given {
      throw .invalidValue("currency", allowed: named.code)
    }
    let currency = named ?? given ?? rates.billing
    guard rates.rate(of: currency) != nil else {
      throw .invalidValue(
        named == nil ? "currency" : "mode",
        allowed: rates.currencies.map(\.code).joined(separator: ", "))
    }
    return currency
  }

  private static func period(_ body: Body) throws(APIError) -> String {
    guard let value = body.value("period") else { return BudgetPeriod.monthly.description }
    // The anchor matters only to the counting. The spelling doesn't depend on it.
    let anchor = ClientRegistry.windowAnchor
    let period = value.string.flatMap { BudgetPeriod($0, anchor: anchor) }
    guard let period else { throw .invalidValue("period", allowed: BudgetPeriod.allowed) }
    return period.description
  }

  private static func alerts(_ body: Body) throws(APIError) -> [Int] {
    let allowed = "percentages from 1 to 100, ascending, such as [80, 90, 100]"
    let alerts = try body.list("alerts", atMost: 100, allowed: allowed) { item in
      item.integer.flatMap { (1...100).contains($0) ? Int($0) : nil }
    }
    guard let alerts else { return defaultAlerts }
    guard zip(alerts, alerts.dropFirst()).allSatisfy({ $0 < $1 }) else {
      throw .invalidValue("alerts", allowed: allowed)
    }
    return alerts
  }
}
