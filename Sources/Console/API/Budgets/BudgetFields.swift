internal import Budgets
internal import Configuration
internal import JSON
internal import Ledger
internal import Money
internal import Time

/// The fields of a budget in a request body. They have the names and bounds of `clients.yaml`.
enum BudgetFields {
  static let clientID = BodyField("client_id", .name)
  static let name = BodyField("name", .name)
  private static let table: RecordFields<BudgetDraft> = [
    .separate(name), .optional("per", .choice, \.per),
    .optional("mode", BodyFormat(.plainText, .budgetMode), \.mode),
    .optional("tokens", .integer(BudgetDraft.tokenCounts), \.tokens),
    .optional("cost", .amount, \.cost), .optional("currency", .currency, \.currency),
    .optional("period", BodyFormat(.plainText, .budgetPeriod), \.period),
    .optional("enforcement", .choice, \.enforcement),
    .optional("pause_at_limit", .boolean, \.pausesAtLimit),
    .optional("alerts", .alertThresholds, \.alerts),
  ]
  static let schemas = Fields(required: [clientID]) + table.schemas

  static func terms(in body: Body, rates: ExchangeRates) throws(APIError) -> BudgetTerms {
    let draft = try table.change(by: body, defaults: BudgetDraft()).values
    do throws(FieldMistake) {
      return try draft.terms(rates)
    } catch {
      throw APIError(error)
    }
  }
}

extension BodyFormat<AlertThresholds> {
  fileprivate static let alertThresholds = BodyFormat(
    .list(of: .integer(1...100), atMost: AlertThresholds.most), allowed: AlertThresholds.rule
  ) { value in
    let percentages = value.kind == .array ? value.elements.map(\.integer) : [nil]
    return percentages.contains(nil) ? nil : AlertThresholds(percentages.compactMap(\.self))
  }
}

extension StoredBudget {
  init(_ id: BudgetID, _ terms: BudgetTerms, at now: Timestamp) {
    self.init(
      id: id, per: terms.per, limit: terms.limit, period: terms.period.description,
      enforcement: terms.enforcement, alerts: terms.alerts, createdAt: now)
  }
}
