public import Time

/// The charges on their way to be paid, also while a server writes to the ledger; for one thread at
/// a time.
///
/// All of it is in rows, so that a start goes on where the last process was. All calls block, and
/// throw `unavailable` or `unreadable`.
public final class ChargeOutbox {
  private let connection: DatabaseConnection
  private let accounts: PaymentAccountStore
  private let attempts: ChargeAttemptStore
  private let selectDue: Statement

  /// How long a change waits for the ledger's writer.
  private static let busyTimeoutMilliseconds: Int32 = 5_000

  /// Opens the ledger of a server that is running.
  public init(at location: LedgerLocation) throws(LedgerError) {
    connection = try DatabaseConnection(
      location, access: .readWrite,
      busyTimeoutMilliseconds: ChargeOutbox.busyTimeoutMilliseconds, isBorrowed: true)
    accounts = PaymentAccountStore(connection)
    attempts = try ChargeAttemptStore(connection)
    selectDue = try connection.prepare(ChargeOutbox.due)
  }

  /// Charges whose time has come, the longest waiting first.
  public func due(at now: Timestamp, limit: Int) throws(LedgerError) -> [DueCharge] {
    selectDue.bind(now.rfc3339, at: 1)
    selectDue.bind(Int64(limit), at: 2)
    return try selectDue.rows { fields throws(LedgerError) in
      DueCharge(
        charge: try BillingCharge(from: fields), isUncertain: fields.text("sent_at") != nil,
        refusals: Int(clamping: fields.integer("refusals") ?? 0))
    }
  }

  /// Whether a charge that is due is this server's to collect now.
  ///
  /// Several servers see the same charges: who claims one first has it alone for a while. Where it
  /// dies meanwhile, another collects it later, as one of whose payment nothing is known.
  public func claim(_ charge: BillingCharge, at now: Timestamp) throws(LedgerError) -> Bool {
    guard case .postgresql = connection.dialect else { return true }
    let claim = try connection.prepare(ChargeOutbox.claim)
    claim.bind(now.advanced(by: ChargeOutbox.claimDuration).rfc3339, at: 1)
    claim.bind(charge.id, at: 2)
    claim.bind(now.rfc3339, at: 3)
    return try claim.firstInteger() != nil
  }

  /// Longer than the calls that an attempt makes may take.
  private static let claimDuration = Duration.seconds(300)

  /// When the next charge's time comes, of those whose time hasn't come at `now`.
  public func nextAttempt(after now: Timestamp) throws(LedgerError) -> Timestamp? {
    let select = try connection.prepare(ChargeOutbox.next)
    defer { select.reset() }
    select.bind(now.rfc3339, at: 1)
    guard try select.step() else { return nil }
    return select.text(0).flatMap { Timestamp(rfc3339: $0) }
  }

  /// Notes that a payment is about to be made, so that one whose answer is lost is looked for.
  public func noteSending(_ charge: Int64, at now: Timestamp) throws(LedgerError) {
    let update = try connection.prepare(
      "UPDATE token_billing_charges SET sent_at = ? WHERE id = ?")
    update.bind(now.rfc3339, at: 1)
    update.bind(charge, at: 2)
    try update.run()
  }

  /// Notes what became of an attempt of ours.
  public func note(
    _ attempt: ChargeAttempt, of charge: BillingCharge, at now: Timestamp
  ) throws(LedgerError) {
    try connection.edit { () throws(LedgerError) in
      try attempts.note(attempt, of: charge.id, isOwn: true, at: now)
    }
  }

  // MARK: Payers

  public func account(ofClient clientID: String) throws(LedgerError) -> PaymentAccount? {
    try accounts.find(clientID)
  }

  public func keep(_ account: PaymentAccount, at now: Timestamp) throws(LedgerError) {
    try accounts.replace(account, at: now)
  }

  /// Refuses requests of clients with a charge that has failed since `deadline` or longer, and lets
  /// those of all others through again; nil lets all through. Returns whether anything changed.
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
