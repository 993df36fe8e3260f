public import Budgets
public import Configuration
public import JSON
public import Ledger
internal import Money
public import Time

/// The state of one account of a budget, as the API shows it.
public struct BudgetJSON: Sendable {
  public let status: AccountStatus
  let isDeclared: Bool
  let dates: BudgetDates?
  let periodStart: Timestamp
  let forecast: Forecast?
  /// Why requests are refused, by this budget or for another reason; nil while they pass.
  public internal(set) var pauseReason: String?

  private var definition: BudgetDefinition { status.definition }
  /// Whether the API may change the budget: neither `clients.yaml` nor a plan declares it.
  var canBeChanged: Bool { !isDeclared && !definition.id.isPlan }
  private var currency: Currency { status.settledCost.currency }
  private var hasBRL: Bool { currency == .brl }

  static let fields = (identity + figures + state + times).named("Budget")

  private static let identity: AnswerFields<BudgetJSON> = [
    .field("id") { "\($0.definition.id)" }, .field("client_id", \.definition.id.client),
    .field("name", \.definition.id.name), .source(\.isDeclared), .choice("per", \.definition.per),
    .field("subject") { "\($0.status.subject)" }, .choice("mode", \.definition.limit.mode),
    .field("currency", \.currency), .field("period", \.definition.period.description),
    .choice("enforcement", \.definition.enforcement),
    .field("pause_at_limit") { $0.definition.enforcement != .shadow },
    .field("alerts", as: .list(of: .integer(1...100)), \.definition.alerts),
  ]
  /// A limit that the budget's mode doesn't have is null.
  private static let figures: AnswerFields<BudgetJSON> = [
    .field("limit_tokens", \.status.limitTokens), .field("current_tokens", \.status.settledTokens),
    .field("held_tokens", \.status.heldTokens),
    .field("remaining_tokens", \.status.remainingTokens),
    .field("token_percentage") { Permille($0.status.tokenShare) },
    .field("limit_cost", \.status.limitCost), .field("current_cost", \.status.settledCost),
    .field("held_cost", \.status.heldCost), .field("remaining_cost", \.status.remainingCost),
    .field("cost_percentage") { Permille($0.status.costShare) },
    .field("limit_brl", \.status.limitCost).shown(\.hasBRL),
    .field("current_brl", \.status.settledCost).shown(\.hasBRL),
    .field("percentage_used") { Permille($0.status.share?.permille ?? 0) },
  ]
  private static let state: AnswerFields<BudgetJSON> = [
    .choice("state", \.status.level), .field("is_paused") { $0.pauseReason != nil },
    .field("pause_reason", as: .choice(pauseReasons).orNull, \.pauseReason),
    .optionalObject("raised", raise) { budget in budget.status.raise.map { (budget, $0) } },
  ]
  private static let times: AnswerFields<BudgetJSON> = [
    .field("period_start", as: .instant) { $0.local($0.periodStart) },
    .field("next_reset_at", as: .instant.orNull) { $0.status.window.end.map($0.local) },
    .optionalObject("forecast", expected) { budget in budget.forecast.map { (budget, $0) } },
    .field("created_at", \.dates?.createdAt), .field("updated_at", \.dates?.updatedAt),
  ]
  private static let raise: AnswerFields<(budget: BudgetJSON, raise: Raise)> = [
    .field("tokens") { $0.raise.amount.tokens },
    .field("cost") { Money(nanoUnits: $0.raise.amount.nanoUnits, currency: $0.budget.currency) },
    .field("until", as: .instant) { $0.budget.local($0.raise.until) },
  ]
  private static let expected: AnswerFields<(budget: BudgetJSON, forecast: Forecast)> = [
    .field("exhausted_at", as: .instant.orNull) {
      $0.forecast.exhaustedAt.map($0.budget.local)
    },
    .field("tokens") { $0.forecast.tokens },
    .field("cost") { row in
      row.forecast.nanoUnits.map { Money(nanoUnits: $0, currency: row.budget.currency) }
    },
  ]
  private static let pauseReasons = [
    "manual", "token_limit", "cost_limit", "brl_limit", "conversation_limit",
  ]

  private func local(_ instant: Timestamp) -> String { definition.timeZone.rfc3339(instant) }

  public func write(to writer: inout JSONWriter) {
    BudgetJSON.fields.write(self, to: &writer)
  }
}

extension AccountStatus {
  /// Why the budget refuses all requests; nil while requests pass.
  fileprivate var pauseReason: String? {
    switch pause {
    case nil: nil
    case .manual: "manual"
    case .limit(.tokens): "token_limit"
    case .conversations: "conversation_limit"
    case .limit(.cost): settledCost.currency == .brl ? "brl_limit" : "cost_limit"
    }
  }

  /// The start of the current period. A budget that was made within the period counts from its
  /// creation only.
  fileprivate func periodStart(at now: Timestamp) -> Timestamp {
    if definition.period == .total || definition.id.isPlan { return window.start }
    return BudgetWindow(of: definition.period, containing: now, in: definition.timeZone).start
  }
}

extension Currency {
  /// The currency of the fields `*_brl`.
  static let brl = Currency("BRL")
}

extension BudgetJSON {
  /// Makes the forms of accounts, and reads the recent use of each from the ledger.
  static func forms(
    _ statuses: [AccountStatus], _ call: Call
  ) throws(APIError) -> [BudgetJSON] {
    try call.read { reader throws(LedgerError) in
      try forms(statuses, reader, call.settings, call.clients, at: call.now)
    }
  }

  /// Makes the forms of accounts, in their order.
  ///
  /// - Throws: `LedgerError` if the ledger can't be read.
  public static func forms(
    _ statuses: [AccountStatus], _ reader: LedgerReader, _ settings: Settings,
    _ clients: ClientRegistry, at now: Timestamp
  ) throws(LedgerError) -> [BudgetJSON] {
    let dates = try reader.budgetDates()
    var forms: [BudgetJSON] = []
    for status in statuses {
      let id = status.definition.id
      let recent = try RecentUse(status, reader, settings, at: now)
      forms.append(
        BudgetJSON(
          status: status, isDeclared: clients.declares(id), dates: dates["\(id)"],
          periodStart: status.periodStart(at: now),
          forecast: Forecast(status, lately: recent, at: now), pauseReason: status.pauseReason))
    }
    return forms
  }
}
