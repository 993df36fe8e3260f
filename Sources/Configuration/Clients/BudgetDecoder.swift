internal import Budgets
internal import Money
internal import Time

/// Reads the budgets of all clients. Its formats are created once for all of them.
///
/// It is a class, because copying its many formats would take longer than reading a budget.
final class BudgetDecoder {
  /// The most budgets of one client, or over all clients.
  static let capacity = 1000
  /// The day from which `Nd` windows of declared clients are counted: 2026-01-01.
  static let windowAnchor = CivilDate(daysSinceEpoch: 20454)

  private let rates: ExchangeRates
  private let name = ValueFormat<String>.name
  private let per = ValueFormat<BudgetDefinition.Per>.choice
  private let mode = ValueFormat<BudgetDraft.Mode>.scalar(.budgetMode)
  private let tokens = ValueFormat<Int64>.integer(BudgetDraft.tokenCounts)
  private let amount = ValueFormat<Int64>.amount
  private let currency = ValueFormat<Currency>.currency
  private let period = ValueFormat<BudgetPeriod>.budgetPeriod
  private let enforcement = ValueFormat<BudgetDefinition.Enforcement>.choice
  private let boolean = ValueFormat<Bool>.boolean
  private let alerts = ValueFormat<AlertThresholds>.alertThresholds

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
    guard let terms = decodeTerms(from: &section) else { return nil }
    return BudgetDefinition(
      id: BudgetID(client: client, name: name ?? String(position)), per: terms.per,
      limit: terms.limit, period: terms.period, timeZone: zone, enforcement: terms.enforcement,
      alerts: terms.alerts)
  }

  private func decodeTerms(from section: inout Section) -> BudgetTerms? {
    var draft = BudgetDraft()
    draft.per = section.optional("per", per)
    draft.mode = section.optional("mode", mode)
    draft.tokens = section.optional("tokens", tokens)
    draft.cost = section.optional("cost", amount)
    draft.currency = section.optional("currency", currency)
    draft.period = section.optional("period", period)
    draft.enforcement = section.optional("enforcement", enforcement)
    draft.pausesAtLimit = section.optional("pause_at_limit", boolean)
    draft.alerts = section.optional("alerts", alerts)
    // A limit that can't be read is reported already.
    let isRead =
      section.has("mode") == (draft.mode != nil) && section.has("tokens") == (draft.tokens != nil)
      && section.has("cost") == (draft.cost != nil)
      && section.has("currency") == (draft.currency != nil)
    guard isRead else { return nil }
    do throws(FieldMistake) {
      return try draft.terms(rates)
    } catch {
      section.mistake(at: error.kind == .missing ? "mode" : error.field, error.message)
      return nil
    }
  }

  /// Returns the budget that a plan's monthly tokens form for one of its clients.
  static func planBudget(tokens: Int64, of client: Client) -> BudgetDefinition {
    BudgetDefinition(
      id: .plan(of: client.id), per: .client, limit: .tokens(tokens), period: client.planPeriod,
      timeZone: client.timeZone, enforcement: .hard, alerts: AlertThresholds.usual.percentages)
  }
}

extension ValueFormat<BudgetPeriod> {
  static var budgetPeriod: ValueFormat { .scalar(.budgetPeriod) }
}

extension ValueFormat<AlertThresholds> {
  static var alertThresholds: ValueFormat {
    let list = ValueFormat<[Int64]>.list(of: .integer(1...100), count: 0...AlertThresholds.most)
    return ValueFormat(allowed: AlertThresholds.rule, text: { "\($0.percentages)" }) {
      node, key, context in
      guard let percentages = list.read(node, key, context) else { return nil }
      if let thresholds = AlertThresholds(percentages) { return thresholds }
      context.mistake(
        node.mark, "\(key): this order is not valid; allowed: \(AlertThresholds.rule)")
      return nil
    }
  }
}
