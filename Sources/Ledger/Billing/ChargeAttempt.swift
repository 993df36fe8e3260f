public import Time

/// A charge that is due for collection.
public struct DueCharge: Hashable, Sendable {
  public var charge: BillingCharge
  /// Whether an earlier payment of unknown outcome may have been made.
  public var isUncertain: Bool
  /// The number of the next attempt, from 0. If the payment is uncertain, the number of the
  /// attempt that was sent.
  public var attempt: Int
}

/// The outcome of an attempt to collect a charge.
public enum ChargeAttempt: Hashable, Sendable {
  case succeeded(payment: String)
  /// The provider is processing the payment, and is asked again at that time.
  case underWay(payment: String, nextAttemptAt: Timestamp?)
  /// The payer's bank refused the payment. `payment` is nil if the provider didn't name it.
  case refused(reason: String, payment: String?)
  /// The payer must act first.
  case needsAction(reason: String, payment: String?)
  /// The provider couldn't be reached or didn't answer. With a nil time, the attempt isn't
  /// repeated.
  case postponed(reason: String, nextAttemptAt: Timestamp?)
}
