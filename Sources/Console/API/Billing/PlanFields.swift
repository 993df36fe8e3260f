internal import Configuration
internal import Ledger
internal import Money
internal import Pricing

/// The fields of a plan in a request body. A field that is present changes the plan, null clears
/// the value, and an absent field leaves it.
struct PlanFields {
  private static let largestCount: Int64 = 1 << 53

  static let fields =
    ([
      "display_name": .plainText, "monthly_tokens": .integer(0...largestCount),
      "monthly_conversations": .integer(0...largestCount), "billing": .object(billingFields),
      "markup": .markup,
    ] as Fields).clearable
  private static let billingFields =
    ([
      "currency": .currency, "fixed_fee": .amount, "included_tokens": .integer(0...largestCount),
      "included_cost": .amount, "overage": .object(overageFields),
    ] as Fields).clearable
  private static let overageFields =
    ([
      "every_tokens": .integer(1...largestCount), "every_cost": .amount,
    ] as Fields).clearable + ["charge": .amount]

  private let body: Body
  private let displayName: String?
  private let monthlyTokens: Int64?
  private let monthlyConversations: Int64?
  private let billing: PlanBilling?
  private let markup: Markup?

  /// - Parameter rates: Their billing currency applies to a `billing` that names no currency.
  init(_ body: Body, _ rates: ExchangeRates) throws(APIError) {
    self.body = body
    displayName = try body.text("display_name")
    monthlyTokens = try body.integer("monthly_tokens", in: 0...PlanFields.largestCount)
    monthlyConversations = try body.integer(
      "monthly_conversations", in: 0...PlanFields.largestCount)
    billing = try PlanFields.billing(in: body, rates)
    markup = try body.markup("markup")
  }

  func apply(to plan: inout StoredPlan) {
    if body.has("display_name") { plan.displayName = displayName ?? plan.name }
    if body.has("monthly_tokens") { plan.monthlyTokens = monthlyTokens }
    if body.has("monthly_conversations") { plan.monthlyConversations = monthlyConversations }
    if body.has("billing") { plan.billing = billing }
    if body.has("markup") { plan.markup = markup }
  }

  private static func billing(
    in body: Body, _ rates: ExchangeRates
  ) throws(APIError) -> PlanBilling? {
    guard let billing = try body.object("billing", allowed: billingFields.names) else {
      return nil
    }
    let currency = try billing.currency("currency") ?? rates.billing
    var given = GivenPlanBilling(currency: currency)
    given.fixedFee = try billing.money("fixed_fee", in: currency)?.nanoUnits
    given.includedTokens = try billing.integer("included_tokens", in: 0...largestCount)
    given.includedCost = try billing.money("included_cost", in: currency)?.nanoUnits
    given.overage = try overage(in: billing, currency)
    do throws(GivenPlanBilling.Mistake) {
      return try given.billing(rates)
    } catch {
      throw .invalidValue(error.field, allowed: error.allowed)
    }
  }

  private static func overage(
    in billing: Body, _ currency: Currency
  ) throws(APIError) -> GivenPlanBilling.Overage? {
    guard let overage = try billing.object("overage", allowed: overageFields.names) else {
      return nil
    }
    let tokens = try overage.integer("every_tokens", in: 1...largestCount)
    let cost = try overage.money("every_cost", in: currency)?.nanoUnits
    if cost == nil { _ = try overage.require("every_tokens", tokens) }
    let charge = try overage.require("charge", try overage.money("charge", in: currency))
    return GivenPlanBilling.Overage(
      everyTokens: tokens, everyCost: cost, charge: charge.nanoUnits)
  }
}
