public import Money
public import Time

/// A client's debt for one block of one period, as `token_billing_charges` records it.
public struct BillingCharge: Hashable, Sendable {
  public enum Status: String, Sendable, Hashable, CaseIterable {
    /// Catraca doesn't collect the charge.
    case recorded
    /// The charge will be collected.
    case pending
    case succeeded
    /// The payment was refused.
    case failed
    /// The payer must act first.
    case needsAction = "needs_action"

    /// Whether a payment was tried and is still missing.
    public var isUnpaid: Bool { self == .failed || self == .needsAction }
  }

  /// Increases with each charge.
  public var id: Int64
  public var clientID: String
  /// The month in which the period begins: `2026-11`.
  public var period: String
  /// The block; 0 is the fixed fee.
  public var block: Int64
  /// The tier's range, for example `8M-16M`.
  public var tier: String
  /// The period's tokens at the time of the charge.
  public var tokensTotal: Int64
  /// The amount in the currency's smallest unit.
  public var amount: Int64
  public var currency: Currency
  public var status: Status
  /// The number of attempts to collect it.
  public var attempts: Int
  public var lastError: String?
  /// The payment provider's ID of the payment.
  public var paymentID: String?
  /// The request that passed the lower end of the tier; nil for the fixed fee.
  public var requestID: RequestID?
  /// The time since which collecting fails; nil if nothing has failed.
  public var failingSince: Timestamp?
  /// The time of the next attempt; nil if none is planned.
  public var nextAttemptAt: Timestamp?
  public var createdAt: Timestamp
  public var updatedAt: Timestamp

  /// The charge's name in the API: `chg_01`.
  public var name: String { BillingCharge.name(id) }

  static func name(_ id: Int64) -> String { "chg_\(id < 10 ? "0" : "")\(id)" }

  /// Returns the ID of the charge with this name; nil for any other text.
  public static func id(named name: String) -> Int64? {
    guard let id = Int64(name.dropFirst(4)), id > 0, BillingCharge.name(id) == name else {
      return nil
    }
    return id
  }

  public var money: Money? { Money(minorUnits: amount, currency: currency) }
}
