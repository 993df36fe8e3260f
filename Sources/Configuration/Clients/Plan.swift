public import Money
public import Pricing

/// A plan that clients subscribe to.
public struct Plan: Hashable, Sendable {
  public let name: String
  public let displayName: String
  /// Tokens a month; nil for no limit, and 0 allows nothing.
  public let monthlyTokens: Int64?
  /// Conversations begun a month; nil for no limit, and 0 allows none.
  public let monthlyConversations: Int64?
  public let billing: PlanBilling?
  /// The markup of clients without their own; nil for none.
  public let markup: Markup?
  /// The line of its declaration in `clients.yaml`; nil for other plans.
  public let line: Int?

  public init(
    name: String, displayName: String, monthlyTokens: Int64?, monthlyConversations: Int64?,
    billing: PlanBilling?, markup: Markup? = nil, line: Int?
  ) {
    self.name = name
    self.displayName = displayName
    self.monthlyTokens = monthlyTokens
    self.monthlyConversations = monthlyConversations
    self.billing = billing
    self.markup = markup
    self.line = line
  }
}

extension Plan {
  /// The default plan, if the file declares it and names no other.
  static let trialName = "trial"

  /// The largest count of tokens or conversations: 2⁵³, the largest exact integer in JSON.
  static let largestCount: Int64 = 1 << 53

  static func decode(
    from section: inout Section, name: String, line: Int, rates: ExchangeRates
  ) -> Plan? {
    let displayName = section.optional("display_name", .text())
    let count = ValueFormat<Int64>.integer(0...largestCount)
    let tokens = section.optional("monthly_tokens", count)
    let conversations = section.optional("monthly_conversations", count)
    let billing = section.optional(
      "billing", .section { GivenPlanBilling.decode(from: &$0, rates: rates) })
    let markup = section.optional("markup", .markup)
    return Plan(
      name: name, displayName: displayName ?? name, monthlyTokens: tokens,
      monthlyConversations: conversations, billing: billing, markup: markup, line: line)
  }
}
