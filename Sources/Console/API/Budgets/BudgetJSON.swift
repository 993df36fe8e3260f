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

  /// The fields that a budget has in every answer.
  static let fields: Fields = identity + figures + state
  static let schema = JSONSchema.named("Budget", .object(["client_id": .anyText] + fields))

  private static let identity: Fields = [
    "id": .anyText, "name": .anyText, "source": .source,
    "per": .choice(of: BudgetDefinition.Per.self), "subject": .anyText,
    "mode": .choice(of: BudgetLimit.Mode.self), "currency": .currency, "period": .anyText,
    "enforcement": .choice(of: BudgetDefinition.Enforcement.self), "pause_at_limit": .boolean,
    "alerts": .list(of: .integer(1...100)), "period_start": .instant,
    "forecast": .object([
      "exhausted_at": .instant.orNull, "tokens": .count.orNull, "cost": .money.orNull,
    ]).orNull,
    "created_at": .instant.orNull, "updated_at": .instant.orNull,
  ]
  /// The fields that are null if the budget's mode doesn't limit tokens, or cost.
  static let limits: Fields = [
    "limit_tokens": .count.orNull, "remaining_tokens": .count.orNull,
    "token_percentage": .number.orNull, "limit_cost": .money.orNull,
    "remaining_cost": .money.orNull, "cost_percentage": .number.orNull,
  ]
  private static let figures =
    limits + [
      "current_tokens": .count, "held_tokens": .count, "current_cost": .money,
      "held_cost": .money,
    ] + (["limit_brl": .money.orNull, "current_brl": .money] as Fields).optional
  static let state: Fields = [
    "percentage_used": .number, "state": .choice(of: AccountStatus.Level.self),
    "is_paused": .boolean, "pause_reason": .choice(pauseReasons).orNull,
    "raised": .object(["tokens": .count, "cost": .money, "until": .instant]).orNull,
    "next_reset_at": .instant.orNull,
  ]
  private static let pauseReasons = [
    "manual", "token_limit", "cost_limit", "brl_limit", "conversation_limit",
  ]

  private var definition: BudgetDefinition { status.definition }
  /// Whether the API may change the budget: neither `clients.yaml` nor a plan declares it.
  var canBeChanged: Bool { !isDeclared && !definition.id.isPlan }
  private var currency: Currency { status.settledCost.currency }

  public func write(to writer: inout JSONWriter) {
    writer.object { writeMembers(to: &$0, pauseReason: pauseReason) }
  }

  /// Writes the members without the braces, for objects that have other members too.
  ///
  /// - Parameters:
  ///   - pauseReason: Why requests are refused, by this budget or for another reason; nil while
  ///     they pass.
  ///   - withClient: Whether `client_id` is one of the members.
  func writeMembers(
    to object: inout JSONWriter, pauseReason: String?, withClient: Bool = true
  ) {
    let id = definition.id
    object.member("id", "\(id)")
    if withClient { object.member("client_id", id.client) }
    object.member("name", id.name)
    object.member("source", isDeclared ? "file" : "api")
    object.member("per", definition.per.rawValue)
    object.member("subject", "\(status.subject)")
    object.member("mode", definition.limit.mode.rawValue)
    object.member("currency", currency.code)
    object.member("period", definition.period.description)
    object.member("enforcement", definition.enforcement.rawValue)
    object.member("pause_at_limit", definition.enforcement != .shadow)
    object.member("alerts") { alerts in
      alerts.array { for percent in definition.alerts { $0.integer(Int64(percent)) } }
    }
    writeFigures(to: &object)
    writeState(to: &object, pauseReason: pauseReason)
    let zone = definition.timeZone
    object.member("period_start", zone.rfc3339(periodStart))
    object.member("next_reset_at", status.window.end.map(zone.rfc3339))
    object.member("forecast") { writeForecast(to: &$0) }
    object.member("created_at", dates?.createdAt.rfc3339)
    object.member("updated_at", dates?.updatedAt.rfc3339)
  }

  private func writeFigures(to object: inout JSONWriter) {
    object.member("limit_tokens", optional: status.limitTokens)
    object.member("current_tokens", status.settledTokens)
    object.member("held_tokens", status.heldTokens)
    object.member("remaining_tokens", optional: status.remainingTokens)
    object.member("token_percentage", permille: status.tokenShare?.permille)
    object.member("limit_cost", status.limitCost?.decimalText)
    object.member("current_cost", status.settledCost.decimalText)
    object.member("held_cost", status.heldCost.decimalText)
    object.member("remaining_cost", status.remainingCost?.decimalText)
    object.member("cost_percentage", permille: status.costShare?.permille)
    if currency == .brl {
      object.member("limit_brl", status.limitCost?.decimalText)
      object.member("current_brl", status.settledCost.decimalText)
    }
    object.member("percentage_used", permille: status.share?.permille ?? 0)
  }

  private func writeState(to object: inout JSONWriter, pauseReason: String?) {
    object.member("state", status.level.rawValue)
    object.member("is_paused", pauseReason != nil)
    object.member("pause_reason", pauseReason)
    object.key("raised")
    guard let raise = status.raise else { return object.null() }
    object.object { object in
      object.member("tokens", raise.amount.tokens)
      object.member(
        "cost", Money(nanoUnits: raise.amount.nanoUnits, currency: currency).decimalText)
      object.member("until", definition.timeZone.rfc3339(raise.until))
    }
  }

  /// Why the budget refuses all requests; nil while requests pass.
  public var pauseReason: String? {
    switch status.pause {
    case nil: nil
    case .manual: "manual"
    case .limit(.tokens): "token_limit"
    case .conversations: "conversation_limit"
    case .limit(.cost): currency == .brl ? "brl_limit" : "cost_limit"
    }
  }

  private func writeForecast(to writer: inout JSONWriter) {
    guard let forecast else { return writer.null() }
    writer.object { object in
      object.member("exhausted_at", forecast.exhaustedAt.map(definition.timeZone.rfc3339))
      object.member("tokens", optional: forecast.tokens)
      object.member(
        "cost",
        forecast.nanoUnits.map { Money(nanoUnits: $0, currency: currency).decimalText })
    }
  }
}

extension AccountStatus {
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
          forecast: Forecast(status, lately: recent, at: now)))
    }
    return forms
  }
}
