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
