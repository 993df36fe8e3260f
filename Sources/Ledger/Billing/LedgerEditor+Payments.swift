internal import Money
internal import Time

// Applies the payment provider's events about charges and subscriptions.

extension LedgerEditor {
  /// The time for which an event's ID is remembered. Its signature is accepted for a far shorter
  /// time.
  private static let eventLifetime = Duration.seconds(30 * 86_400)

  /// Applies an event once.
  ///
  /// - Parameter payer: Returns a client's payer; nil for a client that is gone.
  /// - Throws: `LedgerError.notFound` for a payment of a month that hasn't begun here yet. The
  ///   event isn't recorded, so that the provider delivers it again.
  public func take(
    _ event: PaymentEvent, payer: (String) -> Payer?
  ) throws(LedgerError) -> PaymentOutcome {
    try connection.edit { () throws(LedgerError) in
      guard try remember(event.id) else { return .takenBefore }
      switch event.content {
      case .payment(let payment): return try take(payment, payer)
      case .subscription(let id, let status):
        try note(status, ofSubscription: id, event.createdAt)
      case .fixedFee(let fee):
        // Another program made subscriptions that Catraca doesn't know.
        guard let account = try accounts.find(subscription: fee.subscriptionID) else { break }
        let outcome = try take(fee, of: account, payer)
        if case .refused = fee.attempt {
          try note(.pastDue, ofSubscription: fee.subscriptionID, event.createdAt)
        }
        return outcome
      case .other: break
      }
      return .taken
    }
  }

  /// Records the first payment of a new subscription.
  /// - Throws: `LedgerError`, as `take(_:payer:)` does.
  public func take(
    _ fee: FeePayment, ofClient clientID: String, payer: (String) -> Payer?
  ) throws(LedgerError) -> PaymentOutcome {
    try connection.edit { () throws(LedgerError) in
      guard let account = try accounts.find(clientID) else { return .taken }
      return try take(fee, of: account, payer)
    }
  }

  private var accounts: PaymentAccountStore { PaymentAccountStore(connection) }

  private func remember(_ id: String) throws(LedgerError) -> Bool {
    let purge = try connection.prepare("DELETE FROM payment_events WHERE received_at < ?")
    try purge.run(author.now.advanced(by: .zero - LedgerEditor.eventLifetime).rfc3339)
    let insert = try connection.prepare(
      """
      INSERT INTO payment_events (id, received_at) VALUES (?, ?) ON CONFLICT DO NOTHING
      RETURNING 1
      """)
    insert.bind(id, author.now.rfc3339)
    return try insert.firstInteger() != nil
  }

  // MARK: Payments of blocks

  /// Applies a payment of a block. An event is about one attempt and never changes the state of a
  /// later attempt: the end of an abandoned payment says nothing about the next one.
  private func take(
    _ payment: ChargePayment, _ payer: (String) -> Payer?
  ) throws(LedgerError) -> PaymentOutcome {
    let known = try charge(of: payment.clientID, period: payment.period, block: payment.block)
    guard let (charge, sending) = known else {
      return payment.attempt.isSuccess
        ? .differs(
          reason: "\(payment.attempt.name) pays for block \(payment.block) of "
            + "\(payment.period), which has no charge") : .taken
    }
    let isOfLatest = payment.isOfLatestAttempt(at: charge, sending)
    guard payment.attempt.isSuccess else {
      if isOfLatest { try note(payment.attempt, of: charge) }
      return .taken
    }
    if !isOfLatest, charge.isUnderWay(sending) {
      return try differ(
        charge, payment.paid,
        "\(payment.attempt.name) was paid although a later attempt had replaced it")
    }
    return try pay(charge, by: payment.attempt, payment.paid, payer)
  }

  /// Marks a charge as paid, if the paid amount is the charged amount.
  private func pay(
    _ charge: BillingCharge, by attempt: ChargeAttempt, _ paid: PaidAmount,
    _ payer: (String) -> Payer?
  ) throws(LedgerError) -> PaymentOutcome {
    let customer =
      try accounts.find(charge.clientID)?.customerID ?? payer(charge.clientID)?.customerID
    if let reason = paid.difference(from: charge, by: customer) {
      return try differ(charge, paid, "\(attempt.name): \(reason)")
    }
    if charge.status == .succeeded {
      if charge.paymentID == attempt.payment { return .taken }
      return try differ(
        charge, paid,
        "\(attempt.name) pays again what \(charge.paymentID ?? "another payment") paid")
    }
    try note(attempt, of: charge)
    return .taken
  }

  private func differ(
    _ charge: BillingCharge, _ paid: PaidAmount, _ reason: String
  ) throws(LedgerError) -> PaymentOutcome {
    try AlertStore(connection).insert(
      Alert(mismatchOf: charge, paid: paid, at: author.now))
    return .differs(reason: "\(charge.name): \(reason)")
  }

  private func note(_ attempt: ChargeAttempt, of charge: BillingCharge) throws(LedgerError) {
    try ChargeAttemptStore(connection).note(
      attempt, of: charge.id, isOwn: false, at: author.now)
  }

  /// Returns a charge, with the attempt that was sent and has no known answer yet.
  private func charge(
    of clientID: String, period: String, block: Int64
  ) throws(LedgerError) -> (BillingCharge, Sending?)? {
    let select = try connection.prepare(
      """
      SELECT * FROM token_billing_charges WHERE client_id = ? AND period = ? AND block = ?
      """)
    select.bind(clientID, period, block)
    return try select.firstRow { fields throws(LedgerError) in
      let number = Int(clamping: fields.integer("refusals") ?? 0)
      return (
        try BillingCharge(from: fields),
        fields.text("sent_at").map { _ in Sending(number: number) }
      )
    }
  }

  // MARK: Payments of fixed fees

  /// Applies a payment of a fixed fee. It belongs to the period in which the paid month begins, by
  /// the client's calendar.
  private func take(
    _ fee: FeePayment, of account: PaymentAccount, _ payer: (String) -> Payer?
  ) throws(LedgerError) -> PaymentOutcome {
    let clientID = account.clientID
    guard let start = fee.periodStart else {
      return fee.attempt.isSuccess
        ? .differs(reason: "\(fee.attempt.name) of client \(clientID) names no period") : .taken
    }
    let day = (payer(clientID)?.zone ?? .utc).civilDate(of: start)
    let periods = try BillingPeriodStore(connection)
    guard let period = try periods.find(clientID, containing: day) else {
      if let latest = try periods.latest(of: clientID), day >= latest.endDay {
        throw .notFound(record: "billing period of client \(clientID) that has \(day)")
      }
      return fee.attempt.isSuccess
        ? .differs(
          reason: "\(fee.attempt.name) is of \(day), when client \(clientID) was not billed")
        : .taken
    }
    guard let (charge, _) = try charge(of: clientID, period: period.name, block: 0) else {
      return fee.attempt.isSuccess
        ? .differs(reason: "\(fee.attempt.name) is of \(period.name), which has no fixed fee")
        : .taken
    }
    if fee.attempt.isSuccess { return try pay(charge, by: fee.attempt, fee.paid, payer) }
    try note(fee.attempt, of: charge)
    return .taken
  }

  // MARK: Subscriptions

  /// Updates a subscription's status. An event older than the latest applied one changes nothing.
  private func note(
    _ status: StoredSubscription.Status, ofSubscription id: String, _ instant: Timestamp
  ) throws(LedgerError) {
    guard var account = try accounts.find(subscription: id),
      account.latestEvent.map({ $0 <= instant }) ?? true
    else { return }
    account.latestEvent = instant
    account.status = status
    try accounts.replace(account, at: author.now)
    guard var subscription = try connection.find(StoredSubscription.self, account.clientID),
      subscription.status != status
    else { return }
    let before = subscription
    subscription.status = status
    subscription.updatedAt = author.now
    try connection.replace(subscription)
    try record("subscription.update", before: before, after: subscription)
  }
}

/// An attempt at a charge that was sent and has no known answer yet.
private struct Sending {
  /// The attempt's number, from 0.
  let number: Int
}

extension BillingCharge {
  /// Whether a payment of the charge may still succeed by itself.
  fileprivate func isUnderWay(_ sending: Sending?) -> Bool {
    sending != nil || (status == .pending && paymentID != nil)
  }
}

extension ChargePayment {
  /// Whether the payment is the latest attempt.
  fileprivate func isOfLatestAttempt(at charge: BillingCharge, _ sending: Sending?) -> Bool {
    if let sending {
      return attempt.payment != charge.paymentID && number ?? 0 == sending.number
    }
    return charge.paymentID.map { $0 == attempt.payment } ?? true
  }
}

extension PaidAmount {
  /// Returns the difference from the charge, as text; nil if there is none.
  fileprivate func difference(from charge: BillingCharge, by customer: String?) -> String? {
    if amount != charge.amount || currency != charge.currency {
      return "the payment is \(PaidAmount.text(amount, currency)), the charge is "
        + PaidAmount.text(charge.amount, charge.currency)
    }
    if customerID == nil || customerID != customer {
      return "customer \(customerID ?? "(none)") paid, the charge is for customer "
        + (customer ?? "(none)")
    }
    return nil
  }
}

extension PaidAmount {
  /// An amount of a currency's smallest units, to read: `100.00 BRL`.
  private static func text(_ minorUnits: Int64?, _ currency: Currency?) -> String {
    guard let minorUnits, let currency else {
      return minorUnits.map { "\($0) in no currency" } ?? "without an amount"
    }
    guard let money = Money(minorUnits: minorUnits, currency: currency) else {
      return "\(minorUnits) of the smallest unit of \(currency.code)"
    }
    return "\(money.shortText) \(currency.code)"
  }
}

extension ChargeAttempt {
  fileprivate var isSuccess: Bool {
    if case .succeeded = self { true } else { false }
  }

  /// The payment's name in a difference.
  fileprivate var name: String { "payment \(payment ?? "without an id")" }

  fileprivate var payment: String? {
    switch self {
    case .succeeded(let payment), .underWay(let payment, _): payment
    case .refused(_, let payment), .needsAction(_, let payment): payment
    case .postponed: nil
    }
  }
}
