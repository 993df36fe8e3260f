public import Money

/// What clients subscribe to.
public struct Plan: Hashable, Sendable {
  public let name: String
  public let displayName: String
  /// Tokens a month; nil is no limit, 0 allows nothing.
  public let monthlyTokens: Int64?
  /// Conversations begun a month; nil is no limit, 0 allows none.
  public let monthlyConversations: Int64?
  public let billing: PlanBilling?
  /// Where `clients.yaml` declares it; nil when it was made otherwise.
  public let line: Int?

  public init(
    name: String, displayName: String, monthlyTokens: Int64?, monthlyConversations: Int64?,
    billing: PlanBilling?, line: Int?
  ) {
    self.name = name
    self.displayName = displayName
    self.monthlyTokens = monthlyTokens
    self.monthlyConversations = monthlyConversations
    self.billing = billing
    self.line = line
  }
}

/// What a plan costs a month.
public struct PlanBilling: Hashable, Sendable {
  /// A charge for each block of tokens that is begun beyond what is included.
  public struct Overage: Hashable, Sendable {
    public let everyTokens: Int64
    public let charge: Money

    public init(everyTokens: Int64, charge: Money) {
      self.everyTokens = everyTokens
      self.charge = charge
    }
  }

  public let fixedFee: Money
  public let includedTokens: Int64
  public let overage: Overage?

  public init(fixedFee: Money, includedTokens: Int64, overage: Overage?) {
    self.fixedFee = fixedFee
    self.includedTokens = includedTokens
    self.overage = overage
  }
}

extension Plan {
  /// The default plan where the file declares it and names none.
  static let trialName = "trial"

  /// The largest count of tokens or conversations: 2⁵³, as in JSON.
  static let largestCount: Int64 = 1 << 53

  static func decode(
    from section: inout Section, name: String, line: Int, billingCurrency: Currency
  ) -> Plan? {
    let displayName = section.optional("display_name", .text())
    let count = ValueFormat<Int64>.integer(0...largestCount)
    let tokens = section.optional("monthly_tokens", count)
    let conversations = section.optional("monthly_conversations", count)
    let billing = section.optional(
      "billing", .section { PlanBilling.decode(from: &$0, billingCurrency: billingCurrency) })
    return Plan(
      name: name, displayName: displayName ?? name, monthlyTokens: tokens,
      monthlyConversations: conversations, billing: billing, line: line)
  }
}

extension PlanBilling {
  fileprivate static func decode(
    from section: inout Section, billingCurrency: Currency
  ) -> PlanBilling? {
    let currency = section.optional("currency", .currency) ?? billingCurrency
    let fee = section.optional("fixed_fee", .amount) ?? 0
    let included = section.optional("included_tokens", .integer(0...Plan.largestCount)) ?? 0
    let overage = section.optional(
      "overage",
      .section { section -> Overage? in
        let every = section.required("every_tokens", .integer(1...Plan.largestCount))
        let charge = section.required("charge", .amount)
        guard let every, let charge else { return nil }
        return Overage(
          everyTokens: every, charge: Money(nanoUnits: charge, currency: currency))
      })
    return PlanBilling(
      fixedFee: Money(nanoUnits: fee, currency: currency), includedTokens: included,
      overage: overage)
  }
}
