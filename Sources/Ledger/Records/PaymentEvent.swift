public import Time

/// What the payment provider says has happened.
public struct PaymentEvent: Hashable, Sendable {
  public enum Content: Hashable, Sendable {
    /// A payment of a block has come to something.
    case payment(client: String, period: String, block: Int64, ChargeAttempt)
    /// A subscription has come to a status.
    case subscription(String, StoredSubscription.Status)
    /// What a subscription collects every month was paid, or not.
    case fixedFee(subscription: String, ChargeAttempt)
    /// Nothing that matters here.
    case other
  }

  /// The provider's name for it, the same in each delivery.
  public var id: String
  public var content: Content
  public var createdAt: Timestamp

  public init(id: String, content: Content, createdAt: Timestamp) {
    self.id = id
    self.content = content
    self.createdAt = createdAt
  }
}
