public import Money
public import Pricing

/// What clients subscribe to.
public struct Plan: Hashable, Sendable {
  public let name: String
  public let displayName: String
  /// Tokens a month; nil is no limit, 0 allows nothing.
  public let monthlyTokens: Int64?
  /// Conversations begun a month; nil is no limit, 0 allows none.
  public let monthlyConversations: Int64?
  public let billing: PlanBilling?
  /// What clients without a markup of their own are charged on top; nil for none.
  public let markup: Markup?
  /// Where `clients.yaml` declares it; nil when it was made otherwise.
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
  /// The default plan where the file declares it and names none.
  static let trialName = "trial"

  /// The largest count of tokens or conversations: 2⁵³, as in JSON.
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
