internal import Budgets
internal import Configuration
internal import Ledger
internal import Money
internal import Pricing

/// The fields of a plan in a request body.
enum PlanFields {
  /// - Parameter rates: Their billing currency applies to a `billing` that names no currency.
  static func fields(_ rates: ExchangeRates) -> RecordFields<StoredPlan> {
    [
      .field("display_name", .text, \.displayName),
      .optional("monthly_tokens", .integer(Plan.counts), \.monthlyTokens),
      .optional("monthly_conversations", .integer(Plan.counts), \.monthlyConversations),
      .optional("billing", .billing(rates), \.billing), .optional("markup", .markup, \.markup),
    ]
  }

  static let schemas = fields(.usdOnly).schemas
}

/// The fields of a plan's billing, and of its overage.
private enum BillingFields {
  static let currency = BodyField("currency", .currency)
  static let fixedFee = BodyField("fixed_fee", .amount)
  static let includedTokens = BodyField("included_tokens", .integer(Plan.counts))
  static let includedCost = BodyField("included_cost", .amount)
  static let overage = BodyField("overage", .overage)
  static let all = Fields(optional: [currency, fixedFee, includedTokens, includedCost, overage])

  static let everyTokens = BodyField("every_tokens", .integer(GivenPlanBilling.steps))
  static let everyCost = BodyField("every_cost", .amount)
  static let charge = BodyField("charge", .amount)
  static let allOfOverage = Fields(optional: [everyTokens, everyCost]) + Fields(required: [charge])
}

extension BodyFormat<PlanBilling> {
  fileprivate static func billing(_ rates: ExchangeRates) -> BodyFormat {
    BodyFormat(.object(BillingFields.all)) { body, name throws(APIError) in
      guard let billing = try body.object(name, allowed: BillingFields.all.names) else {
        return nil
      }
      var given = GivenPlanBilling(
        currency: try billing.read(BillingFields.currency) ?? rates.billing)
      given.fixedFee = try billing.read(BillingFields.fixedFee)
      given.includedTokens = try billing.read(BillingFields.includedTokens)
      given.includedCost = try billing.read(BillingFields.includedCost)
      given.overage = try billing.read(BillingFields.overage)
      do throws(FieldMistake) {
        return try given.billing(rates)
      } catch {
        throw APIError(error)
      }
    }
  }
}

extension BodyFormat<GivenPlanBilling.Overage> {
  fileprivate static let overage = BodyFormat(.object(BillingFields.allOfOverage)) {
    body, name throws(APIError) in
    guard let overage = try body.object(name, allowed: BillingFields.allOfOverage.names) else {
      return nil
    }
    let tokens = try overage.read(BillingFields.everyTokens)
    let cost = try overage.read(BillingFields.everyCost)
    if cost == nil { _ = try overage.require(BillingFields.everyTokens) }
    return GivenPlanBilling.Overage(
      everyTokens: tokens, everyCost: cost, charge: try overage.require(BillingFields.charge))
  }
}
