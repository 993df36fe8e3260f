extension LedgerReader {
  /// Where `conversations` doesn't say when a conversation began in a month, or knows of one that
  /// has no row.
  func conversationDifferences() throws(LedgerError) -> [AuditDifference] {
    try connection.prepare(LedgerReader.compareConversations).rows { fields in
      AuditDifference(
        check: .conversation, subject: fields.text("name") ?? "",
        recorded: LedgerReader.beginning(fields.text("recorded")),
        recomputed: LedgerReader.beginning(fields.text("recomputed")))
    }
  }

  private static func beginning(_ day: String?) -> String {
    day.map { "begun on \($0)" } ?? "not begun"
  }

  /// A conversation begins in a month with its first row there.
  private static let compareConversations = """
    WITH lines (client_id, month, conversation_id, recorded, recomputed) AS (
      SELECT client_id, month, conversation_id, day, NULL FROM conversations
      UNION ALL SELECT client_id, substr(day, 1, 7), conversation_id, NULL, day
        FROM (SELECT client_id, day, conversation_id, min(id) FROM usage_logs
          WHERE conversation_id IS NOT NULL
          GROUP BY client_id, substr(day, 1, 7), conversation_id))
    SELECT client_id || ' ' || month || ' ' || conversation_id AS name,
      max(lines.recorded) AS recorded, max(lines.recomputed) AS recomputed
    FROM lines GROUP BY client_id, month, conversation_id
    HAVING max(lines.recorded) IS NOT max(lines.recomputed)
    ORDER BY client_id, month, conversation_id
    """
}
