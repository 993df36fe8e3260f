extension LedgerReader {
  /// Returns the lines of `conversations` with a wrong day or without a row, and the conversations
  /// that none or several of their rows began in a month.
  func conversationDifferences(_ rows: AuditedRows) throws(LedgerError) -> [AuditDifference] {
    let sql = rows.read(by: LedgerReader.compareConversations(begunSince: rows.firstDay))
    return try connection.prepare(sql).rows { fields in
      AuditDifference(
        check: .conversation, subject: fields.text("name") ?? "",
        recorded: LedgerReader.beginning(fields.text("recorded")),
        recomputed: LedgerReader.beginning(
          fields.text("recomputed"), times: fields.integer("beginnings") ?? 0))
    }
  }

  private static func beginning(_ day: String?, times: Int64 = 1) -> String {
    guard let day else { return "not begun" }
    return times == 1 ? "begun on \(day)" : "begun \(times) times, last on \(day)"
  }

  /// A conversation begins in a month with its first recorded row there, which is marked.
  private static func compareConversations(begunSince day: String) -> String {
    """
    WITH lines (client_id, month, conversation_id, recorded, recomputed) AS (
      SELECT client_id, month, conversation_id, day, NULL FROM conversations
      UNION ALL SELECT client_id, substr(day, 1, 7), conversation_id, NULL,
          CASE WHEN begins_conversation = 1 THEN day END
        FROM usage_logs WHERE conversation_id IS NOT NULL)
    SELECT client_id || ' ' || month || ' ' || conversation_id AS name,
      max(lines.recorded) AS recorded, max(lines.recomputed) AS recomputed,
      count(lines.recomputed) AS beginnings
    FROM lines GROUP BY client_id, month, conversation_id
    HAVING (max(lines.recorded) IS DISTINCT FROM max(lines.recomputed)
        OR count(lines.recomputed) <> 1)
      AND coalesce(max(lines.recorded), max(lines.recomputed), month) >= '\(day)'
    ORDER BY client_id, month, conversation_id
    """
  }
}
