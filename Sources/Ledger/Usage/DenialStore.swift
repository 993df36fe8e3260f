internal import Time

/// Writes `denials`: one row for each request that a budget refused.
final class DenialStore {
  private let insert: Statement

  init(_ connection: DatabaseConnection) throws(LedgerError) {
    insert = try connection.prepare(DenialStore.insertRow)
  }

  func insert(_ denial: DenialRow) throws(LedgerError) {
    var parameters = ParameterWriter(insert)
    denial.write(to: &parameters)
    try insert.run()
  }

  /// The columns of `DenialRow.write(to:)`, in its order.
  private static let insertRow = """
    INSERT INTO denials (request_id, client_id, key_name, user_id, operation, model, budget_id,
      reason, limit_value, used, held, requested, reset_at, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
}
