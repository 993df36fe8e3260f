public import Money
public import Pricing
public import Time

/// A plan that no file declares, as `plans` records it.
public struct StoredPlan: Hashable, Sendable {
  public var name: String
  public var displayName: String
  /// The token limit of a month; nil for no limit, and 0 allows nothing.
  public var monthlyTokens: Int64?
  public var monthlyConversations: Int64?
  public var billing: PlanBilling?
  /// The markup of clients without their own; nil for none.
  public var markup: Markup?
  public var createdAt: Timestamp
  public var updatedAt: Timestamp

  public init(
    name: String, displayName: String, monthlyTokens: Int64?, monthlyConversations: Int64?,
    billing: PlanBilling?, markup: Markup? = nil, createdAt: Timestamp, updatedAt: Timestamp? = nil
  ) {
    self.name = name
    self.displayName = displayName
    self.monthlyTokens = monthlyTokens
    self.monthlyConversations = monthlyConversations
    self.billing = billing
    self.markup = markup
    self.createdAt = createdAt
    self.updatedAt = updatedAt ?? createdAt
  }

  /// Creates a plan that allows nothing, in place of one that can't be read.
  init(closed name: String) {
    self.init(
      name: name, displayName: name, monthlyTokens: 0, monthlyConversations: 0, billing: nil,
      createdAt: Timestamp(milliseconds: 0))
  }
}
