public import Budgets
public import Money
public import Pricing
public import Time

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

  /// The allowed counts of tokens and of conversations.
  public static let counts = 0...BudgetLimit.largestTokens

  static func decode(
    from section: inout Section, name: String, line: Int, rates: ExchangeRates
  ) -> Plan? {
    let displayName = section.optional("display_name", .text())
    let count = ValueFormat<Int64>.integer(counts)
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

/// A client's subscription to a plan other than the default one, with its start.
public struct Subscription: Hashable, Sendable {
  public enum Status: String, Sendable, Hashable, CaseIterable {
    case active
    case pastDue = "past_due"
    case canceled
  }

  public let plan: String
  /// The first day of its first period.
  public let startedOn: CivilDate
  public let status: Status

  public init(plan: String, startedOn: CivilDate, status: Status = .active) {
    self.plan = plan
    self.startedOn = startedOn
    self.status = status
  }
}

extension Client {
  /// The periods of the client's plan: months from the day on which its subscription began, or
  /// calendar months without a subscription.
  public var planPeriod: BudgetPeriod {
    subscription.map { .monthsFrom(day: $0.startedOn.day) } ?? .monthly
  }

  /// Returns the plan's period that is open at `now`.
  public func planWindow(at now: Timestamp) -> BudgetWindow {
    BudgetWindow(of: planPeriod, containing: now, in: timeZone)
  }
}
