public import Money
public import Time

/// What the payment provider says has happened.
public struct PaymentEvent: Hashable, Sendable {
  public enum Content: Hashable, Sendable {
    /// A payment of a block has come to something.
    case payment(ChargePayment)
    /// A subscription has come to a status.
    case subscription(String, StoredSubscription.Status)
    /// What a subscription collects every month was paid, or not.
    case fixedFee(FeePayment)
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

/// What was paid and by whom, as the payment provider says it.
public struct PaidAmount: Hashable, Sendable {
  /// In the currency's smallest unit; nil where the provider names none.
  public var amount: Int64?
  public var currency: Currency?
  /// The provider's id of the payer.
  public var customerID: String?

  public init(amount: Int64?, currency: Currency?, customerID: String?) {
    self.amount = amount
    self.currency = currency
    self.customerID = customerID
  }
}

/// A payment of a block, and what became of it.
public struct ChargePayment: Hashable, Sendable {
  public var clientID: String
  public var period: String
  public var block: Int64
  /// Which attempt at the charge it is, from 0; nil where the payment doesn't say.
  public var number: Int?
  public var attempt: ChargeAttempt
  public var paid: PaidAmount

  public init(
    clientID: String, period: String, block: Int64, number: Int?, attempt: ChargeAttempt,
    paid: PaidAmount
  ) {
    self.clientID = clientID
    self.period = period
    self.block = block
    self.number = number
    self.attempt = attempt
    self.paid = paid
  }
}

/// A payment of a plan's fixed fee, and what became of it.
public struct FeePayment: Hashable, Sendable {
  /// The provider's id of the subscription that collects it.
  public var subscriptionID: String
  /// When the month begins that it pays; nil where the provider doesn't say.
  public var periodStart: Timestamp?
  public var attempt: ChargeAttempt
  public var paid: PaidAmount

  public init(
    subscriptionID: String, periodStart: Timestamp?, attempt: ChargeAttempt, paid: PaidAmount
  ) {
    self.subscriptionID = subscriptionID
    self.periodStart = periodStart
    self.attempt = attempt
    self.paid = paid
  }
}

/// What the configuration in force says of who pays for a client.
public struct Payer: Sendable {
  /// In which the client's periods begin.
  public var zone: TimeZoneRules
  /// The payment provider's id of the payer, where the ledger knows none.
  public var customerID: String?

  public init(zone: TimeZoneRules, customerID: String?) {
    self.zone = zone
    self.customerID = customerID
  }
}

/// What the ledger makes of what the payment provider says.
public enum PaymentOutcome: Hashable, Sendable {
  case taken
  /// The event was taken over before, and changes nothing.
  case takenBefore
  /// A payment that is not what was charged; no charge is paid by it.
  case differs(reason: String)
}
