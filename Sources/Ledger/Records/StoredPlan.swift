public import Money
public import Time

/// A plan that no file declares, as `plans` records it.
public struct StoredPlan: Hashable, Sendable {
  /// What it costs a month, all in one currency.
  public struct Billing: Hashable, Sendable {
    public var fixedFee: Money
    public var includedTokens: Int64
    public var overage: Overage?

    public init(fixedFee: Money, includedTokens: Int64, overage: Overage?) {
      self.fixedFee = fixedFee
      self.includedTokens = includedTokens
      self.overage = overage
    }
  }

  /// A charge for each block of tokens that is begun beyond what is included.
  public struct Overage: Hashable, Sendable {
    public var everyTokens: Int64
    public var charge: Money

    public init(everyTokens: Int64, charge: Money) {
      self.everyTokens = everyTokens
      self.charge = charge
    }
  }

  public var name: String
  public var displayName: String
  /// Nil is no limit, 0 allows nothing; the same for conversations.
  public var monthlyTokens: Int64?
  public var monthlyConversations: Int64?
  public var billing: Billing?
  public var createdAt: Timestamp
  public var updatedAt: Timestamp

  public init(
    name: String, displayName: String, monthlyTokens: Int64?, monthlyConversations: Int64?,
    billing: Billing?, createdAt: Timestamp, updatedAt: Timestamp? = nil
  ) {
    self.name = name
    self.displayName = displayName
    self.monthlyTokens = monthlyTokens
    self.monthlyConversations = monthlyConversations
    self.billing = billing
    self.createdAt = createdAt
    self.updatedAt = updatedAt ?? createdAt
  }
}
