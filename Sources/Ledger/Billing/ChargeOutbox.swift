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
  private let queue: AttemptQueue

  /// Opens the ledger of a running server.
  /// - Throws: `LedgerError` if the ledger can't be opened.
  public init(at location: LedgerLocation) throws(LedgerError) {
    connection = try AttemptQueue.connection(at: location)
    queue = AttemptQueue(
      connection: connection, table: "token_billing_charges", key: ["id"],
      claimDuration: .seconds(300))
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

  /// Claims a due charge for this server, for five minutes; returns false if another server has
  /// claimed it. The server that collects the charge after a claim has run out first checks whether
  /// it was paid.
  /// - Throws: `LedgerError.unavailable` or `LedgerError.unreadable`.
  public func claim(_ charge: BillingCharge, at now: Timestamp) throws(LedgerError) -> Bool {
    try queue.claim(charge.id, at: now)
  }

  /// Returns the earliest due time after `now`; nil if no charge waits.
  /// - Throws: `LedgerError.unavailable` or `LedgerError.unreadable`.
  public func nextAttempt(after now: Timestamp) throws(LedgerError) -> Timestamp? {
    try queue.nextAttempt(after: now)
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

  /// A period with as many charges as a period can have. Further use in it costs nothing more.
  public struct FullPeriod: Hashable, Sendable {
    public let clientID: String
    public let period: String
  }

  /// The most charges of a period besides its fixed fee.
  public static let mostCharges = Biller.largestBlock

  /// Returns the periods that have begun since `month` and have all their charges.
  ///
  /// - Parameter month: The earliest name of a period, such as `2026-11`.
  /// - Throws: `LedgerError.unavailable` or `LedgerError.unreadable`.
  public func fullPeriods(since month: String) throws(LedgerError) -> [FullPeriod] {
    let select = try connection.prepare(ChargeOutbox.full)
    select.bind(month)
    return try select.rows { fields throws(LedgerError) in
      FullPeriod(
        clientID: try fields.requiredText("client_id", of: "a charge"),
        period: try fields.requiredText("period", of: "a charge"))
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
  // The block is written out, so that the index of last charges serves the query.
  private static let full = """
    SELECT client_id, period FROM token_billing_charges
    WHERE block = \(mostCharges) AND period >= ? ORDER BY client_id, period
    """
}
