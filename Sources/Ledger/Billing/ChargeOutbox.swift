public import Time

/// The queue of charges that wait for payment. It works while a server writes to the ledger. One
/// thread may use it at a time.
///
/// Its whole state is in rows, so a restart continues the previous process's work. All calls block,
/// and throw `LedgerError.unavailable` or `LedgerError.unreadable`.
public final class ChargeOutbox {
  private let connection: DatabaseConnection
  private let accounts: PaymentAccountStore
  private let attempts: ChargeAttemptStore
  private let selectDue: Statement

  /// The longest time that a change waits for the ledger's writer.
  private static let busyTimeoutMilliseconds: Int32 = 5_000

  /// Opens the ledger of a running server.
  /// - Throws: `LedgerError` if the ledger can't be opened.
  public init(at location: LedgerLocation) throws(LedgerError) {
    connection = try DatabaseConnection(
      location, access: .readWrite,
      busyTimeoutMilliseconds: ChargeOutbox.busyTimeoutMilliseconds, isBorrowed: true)
    accounts = PaymentAccountStore(connection)
    attempts = try ChargeAttemptStore(connection)
    selectDue = try connection.prepare(ChargeOutbox.due)
  }

  /// Returns the charges that are due, the longest waiting first.
  /// - Throws: `LedgerError.unavailable` or `LedgerError.unreadable`.
  public func due(at now: Timestamp, limit: Int) throws(LedgerError) -> [DueCharge] {
    selectDue.bind(now.rfc3339, limit)
    return try selectDue.rows { fields throws(LedgerError) in
      DueCharge(
        charge: try BillingCharge(from: fields), isUncertain: fields.text("sent_at") != nil,
        attempt: Int(clamping: fields.integer("refusals") ?? 0))
    }
  }

  /// Claims a due charge for this server; returns false if another server has claimed it.
  ///
  /// All servers see the same charges. The first one to claim a charge has it alone for
  /// `claimDuration`. If that server dies, another server collects the charge later, and first
  /// checks whether it was paid.
  /// - Throws: `LedgerError.unavailable` or `LedgerError.unreadable`.
  public func claim(_ charge: BillingCharge, at now: Timestamp) throws(LedgerError) -> Bool {
    guard case .postgresql = connection.dialect else { return true }
    let claim = try connection.prepare(ChargeOutbox.claim)
    claim.bind(now.advanced(by: ChargeOutbox.claimDuration).rfc3339, charge.id, now.rfc3339)
    return try claim.firstInteger() != nil
  }

  /// Longer than the provider calls of one attempt may take.
  private static let claimDuration = Duration.seconds(300)

  /// Returns the earliest due time after `now`; nil if no charge waits.
  /// - Throws: `LedgerError.unavailable` or `LedgerError.unreadable`.
  public func nextAttempt(after now: Timestamp) throws(LedgerError) -> Timestamp? {
    let select = try connection.prepare(ChargeOutbox.next)
    defer { select.reset() }
    select.bind(now.rfc3339)
    guard try select.step() else { return nil }
    return select.text(0).flatMap { Timestamp(rfc3339: $0) }
  }

  /// Records that a payment is about to be made, so that a payment with a lost answer is looked
  /// for, and is repeated as the same attempt if it isn't found.
  ///
  /// - Parameter attempt: The number of the attempt, from 0. No two payments of a charge share it.
  /// - Throws: `LedgerError.unavailable` or `LedgerError.unreadable`; nothing may be sent then.
  public func noteSending(
    _ charge: Int64, attempt: Int, at now: Timestamp
  ) throws(LedgerError) {
    let update = try connection.prepare(
      "UPDATE token_billing_charges SET sent_at = ?, refusals = ? WHERE id = ?")
    try update.run(now.rfc3339, attempt, charge)
  }

  /// Records the outcome of Catraca's own attempt.
  /// - Throws: `LedgerError.unavailable` or `LedgerError.unreadable`.
  public func note(
    _ attempt: ChargeAttempt, of charge: BillingCharge, at now: Timestamp
  ) throws(LedgerError) {
    try connection.edit { () throws(LedgerError) in
      try attempts.note(attempt, of: charge.id, isOwn: true, at: now)
    }
  }

  // MARK: Payers

  /// Returns the client's account at the payment provider; nil if it has none.
  /// - Throws: `LedgerError.unavailable` or `LedgerError.unreadable`.
  public func account(ofClient clientID: String) throws(LedgerError) -> PaymentAccount? {
    try accounts.find(clientID)
  }

  /// Records a client's account at the payment provider.
  /// - Throws: `LedgerError.unavailable` or `LedgerError.unreadable`.
  public func keep(_ account: PaymentAccount, at now: Timestamp) throws(LedgerError) {
    try accounts.replace(account, at: now)
  }

  /// Pauses clients with a charge that has been failing since `deadline` or longer, and resumes all
  /// others; with nil, resumes all. Returns whether anything changed.
  /// - Throws: `LedgerError.unavailable` or `LedgerError.unreadable`.
  public func pauseUnpaid(
    failingSince deadline: Timestamp?, at now: Timestamp
  ) throws(LedgerError) -> Bool {
    let pauses = PaymentPauseStore(connection)
    return try connection.edit { () throws(LedgerError) in
      try pauses.sync(failingSince: deadline, at: now)
    }
  }

  private static let due = """
    SELECT * FROM token_billing_charges WHERE next_attempt_at <= ?
    ORDER BY next_attempt_at, id LIMIT ?
    """
  private static let claim = """
    UPDATE token_billing_charges SET next_attempt_at = ? WHERE id = ? AND next_attempt_at <= ?
    RETURNING id
    """
  private static let next =
    "SELECT min(next_attempt_at) FROM token_billing_charges WHERE next_attempt_at > ?"
}
