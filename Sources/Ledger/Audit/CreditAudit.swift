extension LedgerReader {
  /// Returns the credits whose remainder differs from their draws, and the credits that are
  /// missing.
  func creditDifferences(_ rows: AuditedRows) throws(LedgerError) -> [AuditDifference] {
    try changedCredits(rows) + missingCredits()
  }

  private func changedCredits(_ rows: AuditedRows) throws(LedgerError) -> [AuditDifference] {
    let sql = rows.read(
      by: LedgerReader.changedCredits(givenSince: rows.firstInstant, connection.dialect))
    return try connection.prepare(sql).rows { fields in
      AuditDifference(
        check: .credit, subject: StoredCredit.name(of: fields.integer("id") ?? 0),
        recorded: "\(fields.integer("recorded") ?? 0) left",
        recomputed: "\(fields.integer("recomputed") ?? 0) left")
    }
  }

  /// Credits are never deleted, so every credit that was given or drawn on must exist.
  private func missingCredits() throws(LedgerError) -> [AuditDifference] {
    let ids = try connection.prepare("SELECT id FROM token_credits").rows { fields in
      fields.integer("id") ?? 0
    }
    let present = Set(ids.map(StoredCredit.name(of:)))
    let mentioned = try connection.prepare(LedgerReader.selectMentionedCredits).rows { fields in
      fields.text("target") ?? fields.integer("credit_id").map(StoredCredit.name(of:)) ?? "?"
    }
    return Set(mentioned).subtracting(present).sorted().map { name in
      AuditDifference(
        check: .credit, subject: name, recorded: "no such credit",
        recomputed: "given, or drawn from")
    }
  }

  /// A draw counts only together with the row of its request.
  private static func changedCredits(
    givenSince instant: String, _ dialect: Dialect
  ) -> String {
    """
    SELECT id, recorded, recomputed FROM (
      SELECT c.id, coalesce(c.tokens_remaining, c.cost_remaining_nano) AS recorded,
        coalesce(c.tokens_granted - coalesce(\(dialect.total("d.tokens")), 0),
          c.cost_granted_nano - coalesce(\(dialect.total("d.cost_nano")), 0)) AS recomputed
      FROM token_credits AS c LEFT JOIN (SELECT credit_draws.* FROM credit_draws
        JOIN usage_logs USING (request_id)) AS d ON d.credit_id = c.id
      WHERE c.created_at >= '\(instant)' GROUP BY c.id) AS credits
    WHERE recorded <> recomputed ORDER BY id
    """
  }
  private static let selectMentionedCredits = """
    SELECT substr(target, length('credit:') + 1) AS target, NULL AS credit_id FROM audit_log
    WHERE action = 'credit.create'
    UNION SELECT NULL, credit_id FROM credit_draws
    """
}
