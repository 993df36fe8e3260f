public import Time

/// Who a client is for the payment provider, as `payment_accounts` records it.
public struct PaymentAccount: Hashable, Sendable {
  public var clientID: String
  /// The provider's id of the payer.
  public var customerID: String
  /// The provider's id of what pays the plan's fixed fee every month; nil without it.
  public var subscriptionID: String?
  /// Whether that is paid.
  public var status: StoredSubscription.Status
  /// When the provider's latest event about the subscription was made.
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
