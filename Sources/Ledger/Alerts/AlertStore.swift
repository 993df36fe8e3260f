public import Budgets
public import Time

/// Writes `alerts`: the events about budgets that people are to be told.
final class AlertStore {
  private let insert: Statement
  private let ids = RequestIDSource()

  init(_ connection: DatabaseConnection) throws(LedgerError) {
    insert = try connection.prepare(AlertStore.insertRow)
  }

  func insert(_ alert: Alert) throws(LedgerError) {
    var parameters = ParameterWriter(insert)
    alert.write(to: &parameters)
    parameters.write("uuid", ids.next(at: alert.createdAt).description)
    try insert.run()
  }

  /// The columns of `Alert.write(to:)`, in its order.
  private static let insertRow = """
    INSERT INTO alerts (type, client_id, budget_id, subject, window_start, window_end, threshold,
      unit, limit_value, used, created_at, uuid)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
}

/// The columns by which `alerts` can be filtered.
public enum AlertColumn: String, Sendable, Hashable, CaseIterable {
  case client = "client_id"
  case budget = "budget_id"
}

/// An alert with the states of its deliveries.
public struct AlertHistory: Hashable, Sendable {
  /// The alert's ID in deliveries, a UUID.
  public var id: String
  public var alert: Alert
  /// The deliveries, in the order of their channels' names.
  public var deliveries: [AlertDeliveryStatus]
}

extension LedgerReader {
  /// Returns rows of `alerts`, newest first.
  /// - Throws: `LedgerError` if the database can't be read, or a row can't be understood.
  public func alertLog(
    where conditions: [AlertColumn: String], _ range: LogRange
  ) throws(LedgerError) -> [LogEntry<AlertHistory>] {
    let deliveries = try connection.prepare(LedgerReader.selectDeliveries)
    return try entries(
      of: "alerts", conditions.map { ($0.key.rawValue, $0.value) }, range, .byID
    ) { fields throws(LedgerError) in
      AlertHistory(
        id: try fields.requiredText("uuid", of: "an alert"), alert: try Alert(from: fields),
        deliveries: try statuses(deliveries, of: fields.integer("id") ?? 0))
    }
  }

  private func statuses(
    _ select: Statement, of alert: Int64
  ) throws(LedgerError) -> [AlertDeliveryStatus] {
    select.bind(alert)
    var statuses: [AlertDeliveryStatus] = []
    try select.forEachRow { () throws(LedgerError) in
      let fields = ColumnReader(statement: select)
      let record = "a delivery of an alert"
      statuses.append(
        AlertDeliveryStatus(
          channel: try fields.requiredText("channel", of: record),
          state: try fields.required(
            "status", of: record,
            fields.text("status").flatMap { AlertDeliveryStatus.State(rawValue: $0) }),
          attempts: Int(clamping: fields.integer("attempts") ?? 0),
          lastError: fields.text("last_error"),
          deliveredAt: fields.text("delivered_at").flatMap { Timestamp(rfc3339: $0) }))
    }
    return statuses
  }

  /// Returns the reported alerts of windows that haven't ended at `now`, since each was last
  /// re-armed.
  /// - Throws: `LedgerError` if the database can't be read.
  public func reportedAlerts(liveAt now: Timestamp) throws(LedgerError) -> [ReportedAlerts] {
    let select = try connection.prepare(LedgerReader.selectReported)
    select.bind(now.rfc3339)
    return try select.rows(passingOver: connection.unreadable, .isLeftOut) {
      fields throws(LedgerError) in
      let record = "an alert"
      let budget = try fields.requiredText("budget_id", of: record)
      let subject = try fields.requiredText("subject", of: record)
      return ReportedAlerts(
        budget: try fields.required("budget_id", of: record, BudgetID(recorded: budget)),
        subject: try fields.required("subject", of: record, Subject(text: subject)),
        windowStart: try fields.requiredInstant("window_start", of: record),
        highestPercent: Int(clamping: fields.integer("highest") ?? 0),
        hasRefused: fields.integer("has_refused") == 1,
        hasRefusedConversation: fields.integer("has_refused_conversation") == 1)
    }
  }

  private static let selectDeliveries =
    "SELECT * FROM alert_deliveries WHERE alert = ? ORDER BY channel"
  /// One row for each account and window. A reset re-arms the alerts.
  private static let selectReported = """
    SELECT budget_id, subject, window_start, max(threshold) AS highest,
      max(CASE WHEN threshold IS NULL AND unit <> 'conversations' THEN 1 END) AS has_refused,
      max(CASE WHEN threshold IS NULL AND unit = 'conversations' THEN 1 END)
        AS has_refused_conversation
    FROM alerts AS a
    WHERE (window_end IS NULL OR window_end > ?1) AND type NOT LIKE 'payment.%'
      AND NOT EXISTS (SELECT 1 FROM budget_resets AS r
        WHERE r.budget_id = a.budget_id AND r.subject IN ('', a.subject)
          AND r.created_at >= a.created_at)
    GROUP BY a.budget_id, a.subject, a.window_start ORDER BY min(a.id)
    """
}
