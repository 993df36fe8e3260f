internal import Budgets
internal import Money
internal import Time

/// Reads the budgets of all clients. Its formats are created once for all of them.
///
/// It is a class, because copying its many formats would take longer than reading a budget.
final class BudgetDecoder {
  /// The most budgets of one client, or over all clients.
  static let capacity = 1000
  /// The alert percentages of a budget that sets none.
  static let defaultAlerts = [80, 90, 100]
  /// The day from which `Nd` windows of declared clients are counted: 2026-01-01.
  static let windowAnchor = CivilDate(daysSinceEpoch: 20454)

  /// The value of `mode`: the units, and with a currency's code also the currency.
  private enum Mode {
    case tokens, cost, both
    case costIn(Currency)
  }

  private let rates: ExchangeRates
  private let name = ValueFormat<String>.name
  private let per = ValueFormat<BudgetDefinition.Per>.choice
  private let mode = ValueFormat<Mode>.scalar("tokens, cost, both, or a currency such as brl") {
    switch $0 {
    case "tokens": .tokens
    case "cost": .cost
    case "both": .both
    default: Currency($0).map { .costIn($0) }
    }
  }
  private let tokens = ValueFormat<Int64>.integer(0...BudgetLimit.largestTokens)
  private let amount = ValueFormat<Int64>.amount
  private let currency = ValueFormat<Currency>.currency
  private let period = ValueFormat<BudgetPeriod>.budgetPeriod
  private let enforcement = ValueFormat<BudgetDefinition.Enforcement>.choice
  private let boolean = ValueFormat<Bool>.boolean
  private let alerts = ValueFormat<[Int]>.alertThresholds

  init(rates: ExchangeRates) {
    self.rates = rates
  }

  /// Reads the budget at `position` (from 1) of `client`'s list.
  func decode(
    from section: inout Section, client: String, position: Int, zone: TimeZoneRules
  ) -> BudgetDefinition? {
    let name = section.optional("name", name)
    if name == BudgetID.planName {
      section.mistake(at: "name", "name: \"plan\" is the plan's own budget; allowed: another name")
    }
    let per = section.optional("per", per) ?? .client
    let limit = decodeLimit(from: &section)
    let period = section.optional("period", period) ?? .monthly
    let enforcement = section.optional("enforcement", enforcement) ?? .hard
    let pausesAtLimit = section.optional("pause_at_limit", boolean) ?? true
    let alerts = section.optional("alerts", alerts) ?? Self.defaultAlerts
    guard let limit else { return nil }
    return BudgetDefinition(
      id: BudgetID(client: client, name: name ?? String(position)), per: per, limit: limit,
      period: period, timeZone: zone, enforcement: pausesAtLimit ? enforcement : .shadow,
      alerts: alerts)
  }

  /// Returns the budget that a plan's monthly tokens form for one of its clients.
  static func planBudget(tokens: Int64, of client: Client) -> BudgetDefinition {
    BudgetDefinition(
      id: .plan(of: client.id), per: .client, limit: .tokens(tokens), period: client.planPeriod,
      timeZone: client.timeZone, enforcement: .hard, alerts: defaultAlerts)
  }

  private func decodeLimit(from section: inout Section) -> BudgetLimit? {
    let mode = section.optional("mode", mode)
    let tokens = section.optional("tokens", tokens)
    let cost = section.optional("cost", amount)
    let currency = section.optional("currency", currency)
    let needed: (tokens: Bool, cost: Bool)
    switch mode {
    case .tokens: needed = (true, false)
    case .cost, .costIn: needed = (false, true)
    case .both: needed = (true, true)
    case nil where section.has("mode"): return nil
    case nil: needed = (section.has("tokens"), section.has("cost"))
    }
    guard needed.tokens || needed.cost else {
      section.context.mistake(
        section.mark, "a budget without a limit; allowed: tokens, cost, or both")
      return nil
    }
    guard isWhole(section, "tokens", needed.tokens), isWhole(section, "cost", needed.cost),
      needed.cost || isWhole(section, "currency", false)
    else { return nil }
    guard needed.cost else { return tokens.map { .tokens($0) } }
    guard let currency = limitCurrency(mode, currency, section), let cost else { return nil }
    let money = Money(nanoUnits: cost, currency: currency)
    guard needed.tokens else { return .cost(money) }
    return tokens.map { .both(tokens: $0, cost: money) }
  }

  /// Whether a limit is present exactly if the mode needs it; reports a mistake otherwise.
  private func isWhole(_ section: Section, _ key: String, _ isNeeded: Bool) -> Bool {
    if section.has(key) == isNeeded { return true }
    if isNeeded {
      section.mistake(at: "mode", "mode needs \(key), which is missing; allowed: give \(key)")
    } else {
      section.mistake(
        at: key, "\(key) is not used by this mode; allowed: leave it out, or mode: both")
    }
    return false
  }

  private func limitCurrency(
    _ mode: Mode?, _ given: Currency?, _ section: Section
  ) -> Currency? {
    var named: Currency?
    if case .costIn(let currency) = mode { named = currency }
    if let named, let given, named != given {
      section.mistake(
        at: "currency", "currency: \(given.code) contradicts mode; allowed: \(named.code)")
      return nil
    }
    guard let currency = named ?? given else { return rates.billing }
    guard rates.rate(of: currency) != nil else {
      let known = rates.currencies.map(\.code)
      section.mistake(
        at: named == nil ? "currency" : "mode",
        "\(currency.code) has no rate in currency.per_usd; allowed: "
          + known.joined(separator: ", "))
      return nil
    }
    return currency
  }
}

extension ValueFormat<BudgetPeriod> {
  static var budgetPeriod: ValueFormat {
    .scalar(BudgetPeriod.allowed) { BudgetPeriod($0, anchor: BudgetDecoder.windowAnchor) }
  }
}

extension ValueFormat<[Int]> {
  /// Percentages in ascending order.
  static var alertThresholds: ValueFormat {
    let list = ValueFormat.list(of: .integer(1...100), count: 0...100)
    let allowed = "percentages from 1 to 100, ascending, such as [80, 90, 100]"
    return ValueFormat(allowed: allowed, text: list.text) { node, key, context in
      guard let thresholds = list.read(node, key, context) else { return nil }
      guard zip(thresholds, thresholds.dropFirst()).allSatisfy({ $0 < $1 }) else {
        context.mistake(node.mark, "\(key): this order is not valid; allowed: \(allowed)")
        return nil
      }
      return thresholds
    }
  }
}
