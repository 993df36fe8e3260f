internal import Budgets

/// One kind of lease: the table of the leases, and the table that they are taken from.
struct LeaseKind {
  /// The table that leases are taken from. Besides the settled use, its rows have the sum of all
  /// replicas' leases: `leased_tokens` and `leased_nano`.
  let sources: String
  /// The table of leases, with one row for each owner and source.
  let leases: String
  /// The column of the owner in `leases`.
  let owner: String
  /// The column of the source's ID in `leases`.
  let key: String
  /// The settled use of a source, as SQL.
  let settledTokens: String
  let settledNano: String
  /// The settled tokens that count against no limit, as SQL.
  let paidByCredits: String

  static let accounts = LeaseKind(
    sources: "budget_accounts", leases: "budget_leases", owner: "replica_id", key: "account_id",
    settledTokens: "tokens", settledNano: "cost_nano", paidByCredits: "paid_by_credits")

  /// Leases that outlive a replica's death. See `OfflineReserve`.
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

  /// The only statement that takes from a limit. It guarantees that settled use plus all leases
  /// stay within the limit, whatever other transactions do at the same time.
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

/// The size of the slice that a replica draws from the remainder of a limit.
///
/// While much is left, a slice is large, so that the next requests need no round trip. Near the
/// limit, it shrinks to the need of one request, so that the replicas together can use up the
/// remainder.
///
/// Example: 12,000 tokens are left, and 3 replicas share the limit. A replica draws 12,000 / (3 ×
/// 4) = 1,000, or the request's need if that is larger.
enum LeaseSlice {
  /// The number of slices into which each replica's share of the remainder is divided.
  static let slicesPerReplica: Int64 = 4

  /// Returns the size of a slice; nil if less is left than the smallest useful amount.
  ///
  /// - Parameters:
  ///   - limit: The limit; nil if the unit isn't limited, in which case nothing is drawn.
  ///   - spent: Settled use plus the leases of all replicas.
  ///   - replicas: The number of replicas that share the limit, at least one.
  static func amount(
    least: Int64, wanted: Int64, of limit: Int64?, spent: Int64, replicas: Int64
  ) -> Int64? {
    guard let limit else { return 0 }
    let (left, overflows) = limit.subtractingReportingOverflow(spent)
    guard !overflows, least <= left else { return least > 0 ? nil : 0 }
    let share = left / (replicas * slicesPerReplica)
    return max(0, min(left, max(wanted, share)))
  }
}

/// The row that a lease is taken from. Accounts sort before credits, which is the order in which
/// rows are changed.
enum LeaseSourceID: Hashable, Comparable, CustomStringConvertible {
  case account(Int64)
  case credit(Int64)

  /// The form in messages between replicas: an account is its number alone.
  var description: String {
    switch self {
    case .account(let id): String(id)
    case .credit(let id): "credit:\(id)"
    }
  }

  /// Returns nil for a text of another release.
  init?(_ text: String) {
    if let id = Int64(text) {
      self = .account(id)
    } else if text.hasPrefix("credit:"), let id = Int64(text.dropFirst("credit:".count)) {
      self = .credit(id)
    } else {
      return nil
    }
  }
}
