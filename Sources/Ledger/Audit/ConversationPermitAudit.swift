extension LedgerReader {
  /// Returns the conversations that have begun according to their rows, in a period with a limit,
  /// but are missing in `conversation_permits`. Other conversations could take their places.
  func conversationPermitDifferences(
    _ rows: AuditedRows
  ) throws(LedgerError) -> [AuditDifference] {
    try connection.prepare(rows.read(by: LedgerReader.selectUncounted)).rows { fields in
      AuditDifference(
        check: .conversation, subject: fields.text("name") ?? "",
        recorded: "not begun in the period from \(fields.text("window_start") ?? "")",
        recomputed: "begun")
    }
  }

  /// Conversations that were admitted before servers knew of the limit aren't counted.
  private static let selectUncounted = """
    SELECT DISTINCT u.client_id || ' ' || u.conversation_id AS name, w.window_start
    FROM conversation_windows AS w JOIN usage_logs AS u ON u.client_id = w.client_id
      AND u.created_at >= w.window_start AND u.created_at >= w.exact_from
      AND (w.window_end IS NULL OR u.created_at < w.window_end)
    WHERE u.conversation_id IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM conversation_permits AS p
      WHERE p.client_id = w.client_id AND p.window_start = w.window_start
        AND p.conversation_id = u.conversation_id AND p.replica_id = '')
    ORDER BY name, w.window_start
    """
}
