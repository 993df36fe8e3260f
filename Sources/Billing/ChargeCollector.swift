public import Configuration
package import EventLoop
internal import JSON
public import Ledger
public import Logging
internal import Synchronization
public import Time
internal import Upstream

/// Collects charges: attempts each one that is due, and retries those that couldn't be attempted.
/// If the answer to a payment is lost, the payment is looked for and never made twice.
public actor ChargeCollector: OutboxWorker {
  /// A charge that is due, with the account that collects it.
  package struct Item: Identifiable, Sendable {
    let due: DueCharge
    let account: StripeAccount

    package var id: Int64 { due.charge.id }
  }

  private let outbox: ChargeOutbox
  private let server: any BilledServer
  private let payments: PaymentClient
  private let logger: Logger
  private let clock: @Sendable () -> Timestamp
  private var postponed = PostponedCharges()
  /// The periods with all their charges, as far as the log has told of them.
  private var toldFull: Set<ChargeOutbox.FullPeriod> = []
  package var attempts = OngoingAttempts<Int64>()
  package nonisolated let bell = WorkBell()
  private nonisolated let changes = Atomic<UInt64>(0)

  private static let longestMonth = Duration.seconds(31 * 24 * 3_600)

  /// - Parameters:
  ///   - outbox: A separate connection to the ledger.
  ///   - payments: The client of the payment provider.
  public init(
    outbox: sending ChargeOutbox, server: any BilledServer, at payments: PaymentClient,
    logger: Logger,
    clock: @escaping @Sendable () -> Timestamp = { .readSystemClock() }
  ) {
    self.outbox = outbox
    self.server = server
    self.payments = payments
    self.logger = logger
    self.clock = clock
  }

  /// Signals that there may be work.
  public nonisolated func ring() {
    changes.wrappingAdd(1, ordering: .relaxed)
    bell.ring()
  }

  /// A number that changes whenever a charge was written or changed.
  public nonisolated var revision: UInt64 { changes.load(ordering: .relaxed) }

  package func startDue() throws(LedgerError) -> Duration? {
    let now = clock()
    if let others = postponed.rest(at: now) {
      logger.log(.warn, "charge_postponed") { $0.member("others", others) }
    }
    try pauseUnpaid(at: now)
    try tellFullPeriods(at: now)
    guard case .stripe(let settings) = server.settings.payments else { return nil }
    let account = StripeAccount(client: payments.stripe, settings: settings)
    let due = try outbox.due(at: now, limit: mostAttemptsAtOnce)
    try start(due.map { Item(due: $0, account: account) })
    return try outbox.nextAttempt(after: now).map { $0.elapsed(since: now) }
  }

  /// Logs once, for each period, that it has all its charges. Only periods of this month and the
  /// last can be open.
  private func tellFullPeriods(at now: Timestamp) throws(LedgerError) {
    let month = now.advanced(by: .zero - ChargeCollector.longestMonth).rfc3339.prefix(7)
    let full = Set(try outbox.fullPeriods(since: String(month)))
    for period in full.subtracting(toldFull) {
      logger.log(.error, "charges_exhausted") { line in
        line.member("client", period.clientID)
        line.member("period", period.period)
        line.member("charges", ChargeOutbox.mostCharges)
      }
    }
    toldFull = full
  }

  private func pauseUnpaid(at now: Timestamp) throws(LedgerError) {
    var deadline: Timestamp?
    if case .stripe(let settings) = server.settings.payments, let longest = settings.pauseAfter {
      deadline = now.advanced(by: .zero - longest)
    }
    guard try outbox.pauseUnpaid(failingSince: deadline, at: now) else { return }
    logger.log(.warn, "clients_paused_or_resumed") { line in
      line.member("reason", "charges that are unpaid, or not any more")
    }
  }

  /// Logs a payment that differs from its charge.
  public nonisolated func tell(ofDifference reason: String) {
    logger.log(.error, "payment_mismatch") { $0.member("reason", reason) }
  }

  // MARK: One charge

  package func claim(_ item: Item) throws(LedgerError) -> Bool {
    try outbox.claim(item.due.charge, at: clock())
  }

  package func attempt(_ item: Item) async -> ChargeAttempt {
    do throws(StripeError) {
      return try await attempt(item.due, through: item.account)
    } catch {
      return ChargeCollector.attempt(error, after: item.due.charge.attempts + 1, at: clock())
    }
  }

  package func mayBeCanceled(_ attempt: ChargeAttempt) -> Bool {
    if case .postponed = attempt { true } else { false }
  }

  package func cancelAttempts() async { await payments.close() }

  package func note(_ attempt: ChargeAttempt, of item: Item) throws(LedgerError) {
    log(item.due.charge, attempt)
    try outbox.note(attempt, of: item.due.charge, at: clock())
    server.alertsAreDue()
  }

  package nonisolated func logUnavailable(_ error: LedgerError) {
    logger.log(.warn, "charges_not_read") { $0.member("reason", error.description) }
  }

  private func attempt(
    _ due: DueCharge, through account: StripeAccount
  ) async throws(StripeError) -> ChargeAttempt {
    let charge = due.charge
    let customer = try await customer(of: charge.clientID, through: account)
    var refused: StripePayment?
    var number = due.attempt
    if let former = try await formerPayment(due, by: customer, through: account) {
      let isRetry = charge.failingSince != nil
      if former.status == .requiresConfirmation {
        return conclude(try await account.confirm(former.id), charge)
      }
      if let attempt = former.attempt, !isRetry || former.status == .succeeded { return attempt }
      if former.status == .processing { return conclude(former, charge) }
      if former.status != .canceled { refused = former }
      number = max(number, (former.number ?? number) + 1)
    }
    guard let method = try await account.paymentMethod(of: customer) else {
      return .needsAction(
        reason: "customer \(customer) has no payment method at the payment provider", payment: nil)
    }
    // From here on, the provider's events about the former payment concern an abandoned attempt.
    try note { () throws(LedgerError) in
      try outbox.noteSending(charge.id, attempt: number, at: clock())
    }
    // The refused payment must not be paid in addition to the new one.
    if let refused { try await account.cancel(refused.id) }
    let payment = try await account.pay(charge, by: customer, with: method, attempt: number)
    return conclude(payment, charge)
  }

  /// Returns a payment of the charge that was made earlier, or may have been; nil for none.
  private func formerPayment(
    _ due: DueCharge, by customer: String, through account: StripeAccount
  ) async throws(StripeError) -> StripePayment? {
    if due.isUncertain { return try await account.findPayment(of: due.charge, by: customer) }
    guard let id = due.charge.paymentID else { return nil }
    return try await account.payment(id)
  }

  private func conclude(_ payment: StripePayment, _ charge: BillingCharge) -> ChargeAttempt {
    if let attempt = payment.attempt { return attempt }
    if payment.status == .canceled {
      return .refused(reason: StripePayment.wasCanceled, payment: payment.id)
    }
    // The provider reports how the payment ends. If its event is lost, it is asked.
    let pause = RetrySchedule.pause(after: charge.attempts + 1) ?? .seconds(3600)
    return .underWay(
      payment: payment.id, nextAttemptAt: clock().advanced(by: max(pause, .seconds(30))))
  }

  /// Returns the client's payer: the configured one, or a new customer.
  private func customer(
    of clientID: String, through account: StripeAccount
  ) async throws(StripeError) -> String {
    let known = try note { () throws(LedgerError) in try outbox.account(ofClient: clientID) }
    if let known { return known.customerID }
    let client = server.clients.client(clientID)
    if let id = client?.paymentCustomerID { return id }
    let id = try await account.makeCustomer(of: client ?? Client(id: clientID, name: clientID))
    try note { () throws(LedgerError) in
      try outbox.keep(PaymentAccount(clientID: clientID, customerID: id), at: clock())
    }
    return id
  }

  private func note<Answer>(
    _ body: () throws(LedgerError) -> Answer
  ) throws(StripeError) -> Answer {
    do throws(LedgerError) {
      return try body()
    } catch {
      throw .unavailable(reason: error.description)
    }
  }

  private static func attempt(
    _ error: StripeError, after attempts: Int, at now: Timestamp
  ) -> ChargeAttempt {
    switch error {
    case .unavailable(let reason):
      let pause = RetrySchedule.pause(after: attempts)
      return .postponed(reason: reason, nextAttemptAt: pause.map { now.advanced(by: $0) })
    case .refused(let refusal):
      return refusal.code == "authentication_required"
        ? .needsAction(reason: error.reason, payment: refusal.payment)
        : .refused(reason: error.reason, payment: refusal.payment)
    }
  }

  private func log(_ charge: BillingCharge, _ attempt: ChargeAttempt) {
    let (level, event, detail): (LogLevel, String, String) =
      switch attempt {
      case .succeeded(let payment): (.info, "charge_paid", payment)
      case .underWay(let payment, _): (.info, "charge_under_way", payment)
      case .refused(let reason, _), .needsAction(let reason, _): (.error, "charge_refused", reason)
      case .postponed(let reason, _): (.warn, "charge_postponed", reason)
      }
    var others: Int64 = 0
    if case .postponed = attempt {
      guard let count = postponed.note(at: clock()) else { return }
      others = count
    }
    logger.log(level, event) { line in
      line.member("charge", charge.name)
      line.member("client", charge.clientID)
      line.member("period", charge.period)
      line.member("block", charge.block)
      line.member("attempt", Int64(charge.attempts + 1))
      line.member("detail", detail)
      if others > 0 { line.member("others", others) }
    }
  }
}

/// The parts of the server that the collection of charges uses.
public protocol BilledServer: Sendable {
  /// The settings in force.
  var settings: Settings { get }
  /// All clients in force.
  var clients: ClientRegistry { get }

  /// Signals that there may be alerts to deliver.
  func alertsAreDue()
}
