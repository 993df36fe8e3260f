/// One kind of leases: where they are recorded, and where what they are of.
struct LeaseKind {
  /// Its rows say beside what is settled how much of them is leased, and to all replicas together:
  /// `leased_tokens` and `leased_nano`.
  let sources: String
  /// One row for each owner and source.
  let leases: String
  /// Whose they are, in `leases`.
  let owner: String
  /// The source's id in `leases`.
  let key: String
  /// What is settled of a source, as SQL.
  let settledTokens: String
  let settledNano: String
  /// What of its settled tokens counts against no limit, as SQL.
  let paidByCredits: String

  static let accounts = LeaseKind(
    sources: "budget_accounts", leases: "budget_leases", owner: "replica_id", key: "account_id",
    settledTokens: "tokens", settledNano: "cost_nano", paidByCredits: "paid_by_credits")

  /// What outlasts a death. See `OfflineReserve`.
  static let reserves = LeaseKind(
    sources: accounts.sources, leases: "budget_reserves", owner: "spool_id", key: accounts.key,
    settledTokens: accounts.settledTokens, settledNano: accounts.settledNano,
    paidByCredits: accounts.paidByCredits)

  static let credits = LeaseKind(
    sources: "token_credits", leases: "credit_leases", owner: "replica_id", key: "credit_id",
    settledTokens: "coalesce(tokens_granted - tokens_remaining, 0)",
    settledNano: "coalesce(cost_granted_nano - cost_remaining_nano, 0)", paidByCredits: "0")
}

// MARK: - Statements

extension LeaseKind {
  var readSource: String {
    """
    SELECT \(settledTokens), \(settledNano), leased_tokens, leased_nano, \(paidByCredits)
    FROM \(sources) WHERE id = ?
    """
  }

  /// The one place where a limit is drawn upon: whatever others do at the same time, settled use
  /// and leases together stay within it.
  var reserveSlice: String {
    """
    UPDATE \(sources) SET
      leased_tokens = leased_tokens + ?1, leased_nano = leased_nano + ?2
    WHERE id = ?3
      AND (CAST(?4 AS BIGINT) IS NULL
        OR ?1 <= CAST(?4 AS NUMERIC) - leased_tokens - \(settledTokens) + \(paidByCredits))
      AND (CAST(?5 AS BIGINT) IS NULL
        OR ?2 <= CAST(?5 AS NUMERIC) - leased_nano - \(settledNano))
    RETURNING 1
    """
  }

  var releaseAmount: String {
    """
    UPDATE \(sources) SET
      leased_tokens = leased_tokens - ?1, leased_nano = leased_nano - ?2
    WHERE id = ?3
    """
  }

  var addToLease: String {
    """
    INSERT INTO \(leases) (\(owner), \(key), tokens, cost_nano) VALUES (?, ?, ?, ?)
    ON CONFLICT (\(owner), \(key)) DO UPDATE SET
      tokens = \(leases).tokens + excluded.tokens,
      cost_nano = \(leases).cost_nano + excluded.cost_nano
    """
  }

  var takeFromLease: String {
    """
    UPDATE \(leases) SET tokens = tokens - ?1, cost_nano = cost_nano - ?2
    WHERE \(owner) = ?3 AND \(key) = ?4
    """
  }

  var removeLease: String { "DELETE FROM \(leases) WHERE \(owner) = ? AND \(key) = ?" }

  var selectLeases: String {
    "SELECT \(key), tokens, cost_nano FROM \(leases) WHERE \(owner) = ? ORDER BY \(key)"
  }

  var removeLeases: String {
    "DELETE FROM \(leases) WHERE \(owner) = ? RETURNING \(key), tokens, cost_nano"
  }
}
