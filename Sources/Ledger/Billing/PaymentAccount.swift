public import Time

/// A client's account at the payment provider, as `payment_accounts` records it.
public struct PaymentAccount: Hashable, Sendable {
  public var clientID: String
  /// The provider's ID of the payer.
  public var customerID: String
  /// The provider's ID of the subscription that pays the plan's monthly fixed fee; nil for none.
  public var subscriptionID: String?
  /// The status of the subscription.
  public var status: StoredSubscription.Status
  /// The time of the provider's latest event about the subscription.
  public var latestEvent: Timestamp?

  public init(
    clientID: String, customerID: String, subscriptionID: String? = nil,
    status: StoredSubscription.Status = .active, latestEvent: Timestamp? = nil
  ) {
    self.clientID = clientID
    self.customerID = customerID
    self.subscriptionID = subscriptionID
    self.status = status
    self.latestEvent = latestEvent
  }
}
