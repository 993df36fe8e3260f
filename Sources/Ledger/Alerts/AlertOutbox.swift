public import Time

/// The alerts on their way to people, also while a server writes to the ledger; for one thread at a
/// time.
///
/// An alert is recorded without deliveries, in the transaction of what it is about. Here it gets
/// its text and a delivery for each channel, which are tried until each has arrived or is given up.
/// All of that is in rows: a start goes on where the last process was. All calls block, and throw
/// `unavailable` or `unreadable`.
public final class AlertOutbox {
  let connection: DatabaseConnection
  private let selectUnplanned: Statement
  private let selectDue: Statement
  private let insertDelivery: Statement
  private let updateDelivery: Statement

  /// How long a change waits for the ledger's writer.
  private static let busyTimeoutMilliseconds: Int32 = 5_000

  /// Opens the ledger of a server that is running.
  public init(at location: LedgerLocation) throws(LedgerError) {
    connection = try DatabaseConnection(
      location, access: .readWrite,
      busyTimeoutMilliseconds: AlertOutbox.busyTimeoutMilliseconds, isBorrowed: true)
    selectUnplanned = try connection.prepare(AlertOutbox.unplanned)
    selectDue = try connection.prepare(AlertOutbox.due)
    insertDelivery = try connection.prepare(AlertOutbox.insertPending)
    updateDelivery = try connection.prepare(AlertOutbox.update)
  }

  /// Alerts that have no deliveries yet, oldest first.
  public func unplanned(limit: Int) throws(LedgerError) -> [RecordedAlert] {
    selectUnplanned.bind(Int64(limit), at: 1)
    return try selectUnplanned.rows(RecordedAlert.init)
  }

  /// Gives an alert its text, and a delivery for each channel that is tried at once; with no
  /// channel it is done with.
  public func plan(
    _ alert: Int64, _ text: AlertText, for channels: [String], at now: Timestamp
  ) throws(LedgerError) {
    try connection.transaction { () throws(LedgerError) in
      try plan(alert, text, at: now, for: channels)
    }
  }

  /// The same, within a transaction.
  func plan(
    _ alert: Int64, _ text: AlertText, at now: Timestamp, for channels: [String]
  ) throws(LedgerError) {
    let update = try connection.prepare(AlertOutbox.setText)
    update.bind(text.sentence, at: 1)
    update.bind(text.body, at: 2)
    update.bind(alert, at: 3)
    try update.run()
    for channel in channels {
      insertDelivery.bind(alert, at: 1)
      insertDelivery.bind(channel, at: 2)
      insertDelivery.bind(now.rfc3339, at: 3)
      try insertDelivery.run()
    }
  }

  /// Deliveries of a channel whose time has come, the longest waiting first.
  public func due(
    _ channel: String, at now: Timestamp, limit: Int
  ) throws(LedgerError) -> [AlertDelivery] {
    selectDue.bind(channel, at: 1)
    selectDue.bind(now.rfc3339, at: 2)
    selectDue.bind(Int64(limit), at: 3)
    var deliveries: [AlertDelivery] = []
    try selectDue.forEachRow { () throws(LedgerError) in
      let fields = ColumnReader(statement: selectDue)
      let record = "a delivery of an alert"
      deliveries.append(
        AlertDelivery(
          alert: fields.integer("alert") ?? 0, alertID: try fields.requiredText("uuid", of: record),
          channel: channel, attempts: Int(clamping: fields.integer("attempts") ?? 0),
          text: AlertText(
            sentence: try fields.requiredText("sentence", of: record),
            body: try fields.requiredText("body", of: record))))
    }
    return deliveries
  }

  /// Whether a delivery that is due is this server's to try now.
  ///
  /// Several servers see the same deliveries: who claims one first has it alone for a while. Where
  /// it dies meanwhile, another tries it later.
  public func claim(_ delivery: AlertDelivery, at now: Timestamp) throws(LedgerError) -> Bool {
    guard case .postgresql = connection.dialect else { return true }
    let claim = try connection.prepare(AlertOutbox.claim)
    claim.bind(now.advanced(by: AlertOutbox.claimDuration).rfc3339, at: 1)
    claim.bind(delivery.alert, at: 2)
    claim.bind(delivery.channel, at: 3)
    claim.bind(now.rfc3339, at: 4)
    return try claim.firstInteger() != nil
  }

  /// Longer than an attempt may take.
  private static let claimDuration = Duration.seconds(60)

  /// When the next delivery's time comes, of those whose time hasn't come at `now`.
  public func nextAttempt(after now: Timestamp) throws(LedgerError) -> Timestamp? {
    let select = try connection.prepare(AlertOutbox.next)
    defer { select.reset() }
    select.bind(now.rfc3339, at: 1)
    guard try select.step() else { return nil }
    return select.text(0).flatMap { Timestamp(rfc3339: $0) }
  }

  /// Notes what became of an attempt.
  public func note(_ attempt: AlertAttempt, of delivery: AlertDelivery) throws(LedgerError) {
    switch attempt {
    case .delivered(let instant):
      updateDelivery.bind(AlertDeliveryStatus.State.delivered.rawValue, at: 1)
      updateDelivery.bind(nil as String?, at: 2)
      updateDelivery.bind(nil as String?, at: 3)
      updateDelivery.bind(instant.rfc3339, at: 4)
    case .failed(let reason, let next):
      let state: AlertDeliveryStatus.State = next == nil ? .failed : .pending
      updateDelivery.bind(state.rawValue, at: 1)
      updateDelivery.bind(reason, at: 2)
      updateDelivery.bind(next?.rfc3339, at: 3)
      updateDelivery.bind(nil as String?, at: 4)
    }
    updateDelivery.bind(delivery.alert, at: 5)
    updateDelivery.bind(delivery.channel, at: 6)
    try updateDelivery.run()
  }

  /// Gives up the deliveries through channels that aren't there any more.
  public func giveUpChannels(besides channels: [String]) throws(LedgerError) {
    let select = try connection.prepare(AlertOutbox.channels)
    var gone: [String] = []
    try select.forEachRow {
      if let channel = select.text(0), !channels.contains(channel) { gone.append(channel) }
    }
    let giveUp = try connection.prepare(AlertOutbox.giveUp)
    for channel in gone {
      giveUp.bind(channel, at: 1)
      try giveUp.run()
    }
  }

  private static let unplanned =
    "SELECT * FROM alerts WHERE body IS NULL ORDER BY id LIMIT ?"
  private static let setText = "UPDATE alerts SET sentence = ?, body = ? WHERE id = ?"
  private static let insertPending = """
    INSERT INTO alert_deliveries (alert, channel, status, attempts, next_attempt_at)
    VALUES (?, ?, 'pending', 0, ?) ON CONFLICT DO NOTHING
    """
  private static let due = """
    SELECT d.alert, d.attempts, a.uuid, a.sentence, a.body
    FROM alert_deliveries AS d JOIN alerts AS a ON a.id = d.alert
    WHERE d.channel = ? AND d.next_attempt_at <= ? ORDER BY d.next_attempt_at, d.alert LIMIT ?
    """
  private static let claim = """
    UPDATE alert_deliveries SET next_attempt_at = ?
    WHERE alert = ? AND channel = ? AND next_attempt_at <= ? RETURNING alert
    """
  private static let next =
    "SELECT min(next_attempt_at) FROM alert_deliveries WHERE next_attempt_at > ?"
  private static let update = """
    UPDATE alert_deliveries SET status = ?, last_error = ?, next_attempt_at = ?, delivered_at = ?,
      attempts = attempts + 1
    WHERE alert = ? AND channel = ?
    """
  private static let channels =
    "SELECT DISTINCT channel FROM alert_deliveries WHERE next_attempt_at IS NOT NULL"
  private static let giveUp = """
    UPDATE alert_deliveries SET status = 'failed', next_attempt_at = NULL,
      last_error = 'the channel is not configured any more'
    WHERE channel = ? AND next_attempt_at IS NOT NULL
    """
}
