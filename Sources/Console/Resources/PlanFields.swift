internal import Ledger
internal import Money

/// The fields of a plan in a body: those that are there change it, and null clears.
struct PlanFields {
  private static let largestCount: Int64 = 1 << 53

  static let fields =
    ([
      "display_name": .plainText, "monthly_tokens": .integer(0...largestCount),
      "monthly_conversations": .integer(0...largestCount), "billing": .object(billingFields),
    ] as Fields).clearable
  private static let billingFields =
    ([
      "currency": .currency, "fixed_fee": .amount, "included_tokens": .integer(0...largestCount),
      "overage": .object(overageFields),
    ] as Fields).clearable
  private static let overageFields: Fields = [
    "every_tokens": .integer(1...largestCount), "charge": .amount,
  ]

  private let body: Body
  private let displayName: String?
  private let monthlyTokens: Int64?
  private let monthlyConversations: Int64?
  private let billing: StoredPlan.Billing?

  /// - Parameter currency: of billing that names none.
  init(_ body: Body, billing currency: Currency) throws(APIError) {
    self.body = body
    displayName = try body.text("display_name")
    monthlyTokens = try body.integer("monthly_tokens", in: 0...PlanFields.largestCount)
    monthlyConversations = try body.integer(
      "monthly_conversations", in: 0...PlanFields.largestCount)
    billing = try PlanFields.billing(in: body, currency)
  }

  func apply(to plan: inout StoredPlan) {
    if body.has("display_name") { plan.displayName = displayName ?? plan.name }
    if body.has("monthly_tokens") { plan.monthlyTokens = monthlyTokens }
    if body.has("monthly_conversations") { plan.monthlyConversations = monthlyConversations }
    if body.has("billing") { plan.billing = billing }
  }

  private static func billing(
    in body: Body, _ billingCurrency: Currency
  ) throws(APIError) -> StoredPlan.Billing? {
    guard let billing = try body.object("billing", allowed: billingFields.names) else {
      return nil
    }
    let currency = try billing.currency("currency") ?? billingCurrency
    let none = Money(nanoUnits: 0, currency: currency)
    return StoredPlan.Billing(
      fixedFee: try billing.money("fixed_fee", in: currency) ?? none,
      includedTokens: try billing.integer("included_tokens", in: 0...largestCount) ?? 0,
      overage: try overage(in: billing, currency))
  }

  private static func overage(
    in billing: Body, _ currency: Currency
  ) throws(APIError) -> StoredPlan.Overage? {
    guard let overage = try billing.object("overage", allowed: overageFields.names) else {
      return nil
    }
    return StoredPlan.Overage(
      everyTokens: try overage.require(
        "every_tokens", try overage.integer("every_tokens", in: 1...largestCount)),
      charge: try overage.require("charge", try overage.money("charge", in: currency)))
  }
}
