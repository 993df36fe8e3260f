extension LedgerReader {
  /// Returns the differences between the leased sums in `budget_accounts` and `token_credits` and
  /// the leases.
  func leaseDifferences() throws(LedgerError) -> [AuditDifference] {
    try SumComparison(
      check: .budgetAccount, title: "leases", keys: ["budget_id", "subject", "window_start"],
      sums: ["leased_tokens", "leased_nano"],
      recorded: """
        SELECT budget_id, subject, window_start, leased_tokens, leased_nano FROM budget_accounts
        """,
      recomputed: """
        SELECT a.budget_id, a.subject, a.window_start, l.tokens, l.cost_nano
        FROM (
          SELECT account_id, tokens, cost_nano FROM budget_leases
          UNION ALL SELECT account_id, tokens, cost_nano FROM budget_reserves
        ) AS l JOIN budget_accounts AS a ON a.id = l.account_id
        """
    ).differences(connection)
      + SumComparison(
        check: .credit, title: "leases of credit", keys: ["credit_id"],
        sums: ["leased_tokens", "leased_nano"],
        recorded: """
          SELECT CAST(id AS TEXT) AS credit_id, leased_tokens, leased_nano FROM token_credits
          """,
        recomputed: "SELECT CAST(credit_id AS TEXT), tokens, cost_nano FROM credit_leases"
      ).differences(connection)
  }
}

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
