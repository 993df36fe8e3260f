/// Reads and writes `usage_logs`: one row for each request.
final class UsageLogStore {
  private let insert: Statement
  private let find: Statement
  private let findInterrupted: Statement
  private let remove: Statement

  init(_ connection: DatabaseConnection) throws(LedgerError) {
    insert = try connection.prepareInsert(UsageLogStore.insertRow)
    find = try connection.prepare(UsageLogStore.findRow)
    findInterrupted = try connection.prepare(
      "\(UsageLogStore.findRow) AND outcome = '\(Outcome.interrupted.rawValue)'")
    remove = try connection.prepare(UsageLogStore.removeInterrupted)
  }

  /// Writes a row and returns its ID. If the request already has a row, returns nil and writes
  /// nothing.
  func insert(
    _ row: UsageRow, beginsConversation: Bool, budgetAccounts: String
  ) throws(LedgerError) -> Int64? {
    var parameters = ParameterWriter(insert)
    row.write(to: &parameters)
    parameters.write("begins_conversation", beginsConversation ? 1 : 0)
    parameters.write("budget_accounts", budgetAccounts)
    return try insert.insertedID()
  }

  /// A row that was removed, with the values that the ledger had added.
  struct Former {
    let row: UsageRow
    let beginsConversation: Bool
    /// As in `budget_accounts`.
    let budgetAccounts: String
  }

  /// Removes and returns the row of an interrupted request; nil if there is none.
  func takeInterrupted(_ requestID: RequestID) throws(LedgerError) -> Former? {
    remove.bind(requestID.description, at: 1)
    return try remove.firstRow { fields throws(LedgerError) in
      Former(
        row: try UsageRow(from: fields),
        beginsConversation: fields.integer("begins_conversation") == 1,
        budgetAccounts: fields.text("budget_accounts") ?? "")
    }
  }

  func contains(_ requestID: RequestID) throws(LedgerError) -> Bool {
    find.bind(requestID.description, at: 1)
    return try find.firstInteger() != nil
  }

  /// Whether a request has been settled with its estimate.
  func isInterrupted(_ requestID: RequestID) throws(LedgerError) -> Bool {
    findInterrupted.bind(requestID.description, at: 1)
    return try findInterrupted.firstInteger() != nil
  }

  private static let removeInterrupted =
    "DELETE FROM usage_logs WHERE request_id = ? AND outcome = 'interrupted' RETURNING *"
  static let findRow = "SELECT 1 FROM usage_logs WHERE request_id = ?"
  /// The columns of `UsageRow.write(to:)`, in its order.
  static let insertRow = """
    INSERT INTO usage_logs (
      request_id, client_id, key_name, user_id, conversation_id, agent_id, source, model,
      response_model, operation, endpoint, stream, status, outcome, usage_source, prompt_tokens,
      cached_tokens, cache_write_tokens, cache_write_long_tokens, audio_input_tokens,
      cached_audio_tokens, image_input_tokens, completion_tokens, reasoning_tokens,
      audio_output_tokens, image_output_tokens, total_tokens, audio_ms, characters, images, calls,
      cost_nano_usd, provider_cost_nano_usd, cost_nano, currency, price_version, held_tokens,
      held_nano_usd, overrun_tokens, overrun_nano_usd, latency_ms, ttft_ms, overhead_us, tool_calls,
      metadata, created_at, day, estimated_tokens, input_text_bytes, output_text_bytes,
      choices, begins_conversation, budget_accounts)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
      ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING
    """
}

/// Whether a row's figures are added to sums, or removed because the row is replaced.
enum RowSign {
  case added
  case removed

  func of(_ value: Int64) -> Int64 {
    switch self {
    case .added: value
    case .removed: -value
    }
  }
}
