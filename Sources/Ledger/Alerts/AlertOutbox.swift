public import Time

/// The queue of alerts that wait for delivery. It works while a server writes to the ledger. One
/// thread may use it at a time.
///
/// An alert is recorded without deliveries, in the transaction of its event. The outbox gives it a
/// text and one delivery for each channel. Each delivery is tried until it arrives or is given up.
/// The whole state is in rows, so a restart continues the previous process's work. All calls block,
/// and throw `LedgerError.unavailable` or `LedgerError.unreadable`.
public final class AlertOutbox {
  let connection: DatabaseConnection
  private let selectUnplanned: Statement
  private let selectDue: Statement
  private let insertDelivery: Statement
  private let updateDelivery: Statement
  private let queue: AttemptQueue

  /// Opens the ledger of a running server.
  /// - Throws: `LedgerError` if the ledger can't be opened.
  public init(at location: LedgerLocation) throws(LedgerError) {
    connection = try AttemptQueue.connection(at: location)
    queue = AttemptQueue(
      connection: connection, table: "alert_deliveries", key: ["alert", "channel"],
      claimDuration: .seconds(60))
    selectUnplanned = try connection.prepare(AlertOutbox.unplanned)
    selectDue = try connection.prepare(AlertOutbox.due)
    insertDelivery = try connection.prepare(AlertOutbox.insertPending)
    updateDelivery = try connection.prepare(AlertOutbox.update)
  }

  /// Returns the alerts without deliveries, oldest first.
  /// - Throws: `LedgerError.unavailable` or `LedgerError.unreadable`.
  public func unplanned(limit: Int) throws(LedgerError) -> [RecordedAlert] {
    selectUnplanned.bind(limit)
    return try selectUnplanned.rows(RecordedAlert.init)
  }

  /// Gives an alert its text, and one delivery for each channel, due at once. Without channels, the
  /// alert is finished.
  /// - Throws: `LedgerError.unavailable` or `LedgerError.unreadable`.
  public func plan(
    _ alert: Int64, _ text: AlertText, for channels: [String], at now: Timestamp
  ) throws(LedgerError) {
    try connection.transaction { () throws(LedgerError) in
      try plan(alert, text, at: now, for: channels)
    }
  }

  /// Plans an alert within a transaction.
  func plan(
    _ alert: Int64, _ text: AlertText, at now: Timestamp, for channels: [String]
  ) throws(LedgerError) {
    let update = try connection.prepare(AlertOutbox.setText)
    try update.run(text.sentence, text.body, alert)
    for channel in channels {
      try insertDelivery.run(alert, channel, now.rfc3339)
    }
  }

  /// Returns a channel's deliveries that are due, the longest waiting first.
  /// - Throws: `LedgerError.unavailable` or `LedgerError.unreadable`.
  public func due(
    _ channel: String, at now: Timestamp, limit: Int
  ) throws(LedgerError) -> [AlertDelivery] {
    selectDue.bind(channel, now.rfc3339, limit)
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

  /// Claims a due delivery for this server, for a minute; returns false if another server has
  /// claimed it.
  /// - Throws: `LedgerError.unavailable` or `LedgerError.unreadable`.
  public func claim(_ delivery: AlertDelivery, at now: Timestamp) throws(LedgerError) -> Bool {
    try queue.claim(delivery.alert, delivery.channel, at: now)
  }

  /// Returns the earliest due time after `now`; nil if no delivery waits.
  /// - Throws: `LedgerError.unavailable` or `LedgerError.unreadable`.
  public func nextAttempt(after now: Timestamp) throws(LedgerError) -> Timestamp? {
    try queue.nextAttempt(after: now)
  }

  /// Records the outcome of an attempt.
  /// - Throws: `LedgerError.unavailable` or `LedgerError.unreadable`.
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

  /// Gives up the deliveries through channels that no longer exist.
  /// - Throws: `LedgerError.unavailable` or `LedgerError.unreadable`.
  public func giveUpChannels(besides channels: [String]) throws(LedgerError) {
    let select = try connection.prepare(AlertOutbox.channels)
    var gone: [String] = []
    try select.forEachRow {
      if let channel = select.text(0), !channels.contains(channel) { gone.append(channel) }
    }
    let giveUp = try connection.prepare(AlertOutbox.giveUp)
    for channel in gone {
      try giveUp.run(channel)
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
