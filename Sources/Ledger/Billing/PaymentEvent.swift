public import Money
public import Time

/// An event that the payment provider reports.
public struct PaymentEvent: Hashable, Sendable {
  public enum Content: Hashable, Sendable {
    /// A payment of a block has an outcome.
    case payment(ChargePayment)
    /// A subscription has a new status.
    case subscription(String, StoredSubscription.Status)
    /// A subscription's monthly payment succeeded or failed.
    case fixedFee(FeePayment)
    /// An event without meaning for Catraca.
    case other
  }

  /// The provider's ID of the event, the same in each delivery.
  public var id: String
  public var content: Content
  public var createdAt: Timestamp

  public init(id: String, content: Content, createdAt: Timestamp) {
    self.id = id
    self.content = content
    self.createdAt = createdAt
  }
}

/// The amount and the payer of a payment, as the provider reports them.
public struct PaidAmount: Hashable, Sendable {
  /// The amount in the currency's smallest unit; nil if the provider names none.
  public var amount: Int64?
  public var currency: Currency?
  /// The provider's ID of the payer.
  public var customerID: String?

  public init(amount: Int64?, currency: Currency?, customerID: String?) {
    self.amount = amount
    self.currency = currency
    self.customerID = customerID
  }
}

/// A payment of a block, with its outcome.
public struct ChargePayment: Hashable, Sendable {
  public var clientID: String
  public var period: String
  public var block: Int64
  /// The number of the attempt, from 0; nil if the payment doesn't name it.
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

/// A payment of a plan's fixed fee, with its outcome.
public struct FeePayment: Hashable, Sendable {
  /// The provider's ID of the subscription that collects the fee.
  public var subscriptionID: String
  /// The start of the paid month; nil if the provider doesn't name it.
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

/// The configuration's statements about a client's payer.
public struct Payer: Sendable {
  /// The time zone in which the client's periods begin.
  public var zone: TimeZoneRules
  /// The payment provider's ID of the payer, if the ledger knows none.
  public var customerID: String?

  public init(zone: TimeZoneRules, customerID: String?) {
    self.zone = zone
    self.customerID = customerID
  }
}

/// The ledger's reaction to an event of the payment provider.
public enum PaymentOutcome: Hashable, Sendable {
  case taken
  /// The event was already applied, and changes nothing.
  case takenBefore
  /// The payment differs from the charge, so it pays no charge.
  case differs(reason: String)
}
