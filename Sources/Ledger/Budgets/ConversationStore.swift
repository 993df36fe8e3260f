internal import Time

/// Writes `conversations`: the conversations that have been counted in each month.
final class ConversationStore {
  private let insert: Statement

  init(_ connection: DatabaseConnection) throws(LedgerError) {
    insert = try connection.prepare(ConversationStore.insertRow)
  }

  /// Whether the row is the first of its conversation in a calendar month, so that the conversation
  /// counts.
  func isFirst(_ row: UsageRow) throws(LedgerError) -> Bool {
    guard let conversationID = row.conversationID else { return false }
    insert.bind(row.clientID, at: 1)
    insert.bind(conversationID, at: 2)
    insert.bind(row.day.description, at: 3)
    return try insert.changedRows() == 1
  }

  private static let insertRow = """
    INSERT INTO conversations (client_id, month, conversation_id, day)
    VALUES (?1, substr(CAST(?3 AS TEXT), 1, 7), ?2, ?3)
    ON CONFLICT DO NOTHING
    """
}
