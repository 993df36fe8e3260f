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
