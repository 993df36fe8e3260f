public import Time

/// A charge whose time has come to be collected.
public struct DueCharge: Hashable, Sendable {
  public var charge: BillingCharge
  /// Whether a payment may have been made of which nothing is known.
  public var isUncertain: Bool
  /// How often a payment of it was refused.
  public var refusals: Int
}

/// What became of an attempt to collect a charge.
public enum ChargeAttempt: Hashable, Sendable {
  case succeeded(payment: String)
  /// The provider goes on with it; it is asked again then.
  case underWay(payment: String, nextAttemptAt: Timestamp?)
  /// The payer's bank has refused it; `payment` is nil where the provider didn't name it.
  case refused(reason: String, payment: String?)
  /// The payer has to do something first.
  case needsAction(reason: String, payment: String?)
  /// The provider couldn't be asked, or gave no answer. Nil gives it up.
  case postponed(reason: String, nextAttemptAt: Timestamp?)
}
