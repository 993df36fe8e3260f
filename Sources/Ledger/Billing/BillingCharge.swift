public import Money
public import Time

/// What a client owes for one block of one period, as `token_billing_charges` records it.
public struct BillingCharge: Hashable, Sendable {
  public enum Status: String, Sendable, Hashable, CaseIterable {
    /// Nobody collects it here.
    case recorded
    /// It will be collected.
    case pending
    case succeeded
    /// It was refused.
    case failed
    /// The payer has to do something first.
    case needsAction = "needs_action"

    /// Whether somebody waits for its money.
    public var isUnpaid: Bool { self == .failed || self == .needsAction }
  }

  /// Counts up.
  public var id: Int64
  public var clientID: String
  /// The month that the period begins in: `2026-11`.
  public var period: String
  /// 0 for the fixed fee.
  public var block: Int64
  /// The tier's range, such as `8M-16M`.
  public var tier: String
  /// The tokens of the period when it was charged.
  public var tokensTotal: Int64
  /// In the currency's smallest unit.
  public var amount: Int64
  public var currency: Currency
  public var status: Status
  /// How often collecting it was tried.
  public var attempts: Int
  public var lastError: String?
  /// The payment provider's id of the payment.
  public var paymentID: String?
  /// The request that passed the lower end of the tier; nil where the plan's beginning did.
  public var requestID: RequestID?
  /// Since when it couldn't be collected; nil where nothing has failed.
  public var failingSince: Timestamp?
  /// When it is tried; nil while nothing is.
  public var nextAttemptAt: Timestamp?
  public var createdAt: Timestamp
  public var updatedAt: Timestamp

  /// What it is called: `chg_01`.
  public var name: String { BillingCharge.name(id) }

  static func name(_ id: Int64) -> String { "chg_\(id < 10 ? "0" : "")\(id)" }

  /// The id of a charge that is called so; nil for any other text.
  public static func id(named name: String) -> Int64? {
    guard let id = Int64(name.dropFirst(4)), id > 0, BillingCharge.name(id) == name else {
      return nil
    }
    return id
  }

  public var money: Money? { Money(minorUnits: amount, currency: currency) }
}
