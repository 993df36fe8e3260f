internal import Time

// What the payment provider says of charges and subscriptions.

extension LedgerEditor {
  /// How long an event is remembered; its signature is believed for far less.
  private static let eventLifetime = Duration.seconds(30 * 86_400)

  /// Takes over what an event says; false, and nothing done, where it was taken over before.
  public func take(_ event: PaymentEvent) throws(LedgerError) -> Bool {
    try connection.edit { () throws(LedgerError) in
      guard try remember(event.id) else { return false }
      switch event.content {
      case .payment(let client, let period, let block, let attempt):
        try note(
          attempt, of: try charge(of: client, period: period, block: block))
      case .subscription(let id, let status):
        try note(status, ofSubscription: id, event.createdAt)
      case .fixedFee(let subscription, let attempt):
        guard let account = try accounts.find(subscription: subscription) else { break }
        try note(attempt, of: try fixedFee(of: account.clientID, until: event.createdAt))
        if case .refused = attempt {
          try note(.pastDue, ofSubscription: subscription, event.createdAt)
        }
      case .other: break
      }
      return true
    }
  }

  /// Notes that a client's fixed fee of the open period is paid.
  public func noteFixedFeePaid(
    by payment: String, ofClient clientID: String
  ) throws(LedgerError) {
    try connection.edit { () throws(LedgerError) in
      try note(
        .succeeded(payment: payment), of: try fixedFee(of: clientID, until: author.now))
    }
  }

  private var accounts: PaymentAccountStore { PaymentAccountStore(connection) }

  private func remember(_ id: String) throws(LedgerError) -> Bool {
    let purge = try connection.prepare("DELETE FROM payment_events WHERE received_at < ?")
    purge.bind(author.now.advanced(by: .zero - LedgerEditor.eventLifetime).rfc3339, at: 1)
    try purge.run()
    let insert = try connection.prepare(
      """
      INSERT INTO payment_events (id, received_at) VALUES (?, ?) ON CONFLICT DO NOTHING
      RETURNING 1
      """)
    insert.bind(id, at: 1)
    insert.bind(author.now.rfc3339, at: 2)
    return try insert.firstInteger() != nil
  }

  private func note(_ attempt: ChargeAttempt, of charge: BillingCharge?) throws(LedgerError) {
    guard let charge else { return }
    // A payment that was given up for another says nothing about the charge any more.
    if let known = charge.paymentID, attempt.payment != known, !attempt.isSuccess { return }
    try ChargeAttemptStore(connection).note(
      attempt, of: charge.id, isOwn: false, at: author.now)
  }

  private func charge(
    of clientID: String, period: String, block: Int64
  ) throws(LedgerError) -> BillingCharge? {
    let select = try connection.prepare(
      """
      SELECT * FROM token_billing_charges WHERE client_id = ? AND period = ? AND block = ?
      """)
    select.bind(clientID, at: 1)
    select.bind(period, at: 2)
    select.bind(block, at: 3)
    return try select.firstRow { fields throws(LedgerError) in try BillingCharge(from: fields) }
  }

  /// The latest fixed fee that was charged before an instant.
  private func fixedFee(
    of clientID: String, until instant: Timestamp
  ) throws(LedgerError) -> BillingCharge? {
    let select = try connection.prepare(
      """
      SELECT * FROM token_billing_charges
      WHERE client_id = ? AND block = 0 AND (created_at <= ? OR status <> 'succeeded')
      ORDER BY period DESC LIMIT 1
      """)
    select.bind(clientID, at: 1)
    select.bind(instant.rfc3339, at: 2)
    return try select.firstRow { fields throws(LedgerError) in try BillingCharge(from: fields) }
  }

  /// An event that is older than the latest that was taken over changes nothing.
  private func note(
    _ status: StoredSubscription.Status, ofSubscription id: String, _ instant: Timestamp
  ) throws(LedgerError) {
    guard var account = try accounts.find(subscription: id),
      account.latestEvent.map({ $0 <= instant }) ?? true
    else { return }
    account.latestEvent = instant
    account.status = status
    try accounts.replace(account, at: author.now)
    guard var subscription = try subscriptions.find(account.clientID),
      subscription.status != status
    else { return }
    let before = subscription
    subscription.status = status
    subscription.updatedAt = author.now
    try subscriptions.replace(subscription)
    try record("subscription.update", subscription, before: before, after: subscription)
  }
}

extension ChargeAttempt {
  fileprivate var isSuccess: Bool {
    if case .succeeded = self { true } else { false }
  }

  fileprivate var payment: String? {
    switch self {
    case .succeeded(let payment), .underWay(let payment, _): payment
    case .refused(_, let payment), .needsAction(_, let payment): payment
    case .postponed: nil
    }
  }
}
