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

/// Records the outcomes of attempts to collect charges, in `token_billing_charges`.
final class ChargeAttemptStore {
  private let connection: DatabaseConnection
  private let alerts: AlertStore
  private let update: Statement

  init(_ connection: DatabaseConnection) throws(LedgerError) {
    self.connection = connection
    alerts = try AlertStore(connection)
    update = try connection.prepare(ChargeAttemptStore.updateRow)
  }

  /// Records an attempt, within a transaction. If it leaves the charge unpaid, one alert is
  /// written. A paid charge stays paid.
  ///
  /// - Parameter isOwn: Whether Catraca made the attempt, and not the payer or the provider.
  func note(
    _ attempt: ChargeAttempt, of id: Int64, isOwn: Bool, at now: Timestamp
  ) throws(LedgerError) {
    guard let before = try BillingChargeStore.find(id, connection), before.status != .succeeded
    else { return }
    let after = ChargeColumns(attempt)
    try update.run(
      id, after.status.rawValue, after.reason, after.payment, after.nextAttemptAt?.rfc3339,
      after.isKnown ? 1 : 0, after.isRefusal && isOwn ? 1 : 0, now.rfc3339, isOwn ? 1 : 0)
    if after.status.isUnpaid, !before.status.isUnpaid {
      try alerts.insert(Alert(unpaid: before, at: now))
    }
  }

  private static let updateRow = """
    UPDATE token_billing_charges SET status = ?2, last_error = ?3,
      payment_id = coalesce(?4, payment_id), next_attempt_at = ?5, attempts = attempts + ?9,
      sent_at = CASE WHEN ?6 = 1 THEN NULL ELSE sent_at END, refusals = refusals + ?7,
      failing_since = CASE WHEN ?2 IN ('failed', 'needs_action') THEN coalesce(failing_since, ?8)
        WHEN ?2 = 'succeeded' THEN NULL ELSE failing_since END, updated_at = ?8
    WHERE id = ?1
    """
}

/// The column values of an attempt.
private struct ChargeColumns {
  var status = BillingCharge.Status.pending
  var reason: String?
  var payment: String?
  var nextAttemptAt: Timestamp?
  /// Whether no payment of unknown outcome is left.
  var isKnown = false
  var isRefusal = false

  init(_ attempt: ChargeAttempt) {
    switch attempt {
    case .succeeded(let payment):
      (status, self.payment, isKnown) = (.succeeded, payment, true)
    case .underWay(let payment, let next):
      (self.payment, nextAttemptAt, isKnown) = (payment, next, true)
    case .refused(let reason, let payment):
      (status, self.reason, self.payment) = (.failed, reason, payment)
      (isKnown, isRefusal) = (payment != nil, true)
    case .needsAction(let reason, let payment):
      (status, self.reason, self.payment) = (.needsAction, reason, payment)
      (isKnown, isRefusal) = (payment != nil, payment != nil)
    case .postponed(let reason, let next):
      (status, self.reason, nextAttemptAt) = (next == nil ? .failed : .pending, reason, next)
    }
  }
}
