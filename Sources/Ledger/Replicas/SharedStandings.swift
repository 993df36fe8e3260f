public import Budgets
internal import Money
internal import Time

/// A page of standings of accounts and credits, with the place of the next page.
public struct StandingsPage: Sendable {
  /// The place at which a page begins. Accounts come first, then credits.
  public enum Place: Hashable, Sendable {
    case accounts(after: Int64)
    case credits(after: Int64)

    public static let beginning = Place.accounts(after: 0)
  }

  public let standings: [SharedStanding]
  /// The next page's place; nil after the last page.
  public let next: Place?
}

extension LedgerReader {
  /// Returns the standings, for a replica, of accounts whose windows haven't ended at `now`, and of
  /// credits that can still be drawn on: at most `limit`, from `place` on.
  func standings(
    from place: StandingsPage.Place, limit: Int, for replica: ReplicaID, at now: Timestamp
  ) throws(LedgerError) -> StandingsPage {
    switch place {
    case .accounts(let last):
      let (found, next) = try standings(
        LedgerReader.selectAccounts, after: last, limit: limit, for: replica, at: now
      ) { row throws(LedgerError) in
        try BudgetAccountKey(from: row).accountKey.map { SharedStanding(account: $0, from: row) }
      }
      return StandingsPage(
        standings: found, next: next.map { .accounts(after: $0) } ?? .credits(after: 0))
    case .credits(let last):
      let (found, next) = try standings(
        LedgerReader.selectCredits, after: last, limit: limit, for: replica, at: now
      ) { row throws(LedgerError) in
        SharedStanding(try StoredCredit.table.read(row), from: row)
      }
      return StandingsPage(standings: found, next: next.map { .credits(after: $0) })
    }
  }

  /// - Returns: The standings, and the ID of the last one if there may be more.
  private func standings(
    _ sql: String, after place: Int64, limit: Int, for replica: ReplicaID, at now: Timestamp,
    _ standing: (ColumnReader) throws(LedgerError) -> SharedStanding?
  ) throws(LedgerError) -> ([SharedStanding], next: Int64?) {
    let select = try connection.prepare(sql)
    select.bind(replica.text, place, now.rfc3339, limit)
    var last: Int64 = place
    var count = 0
    let found = try select.rows(passingOver: connection.unreadable, .isLeftOut) {
      row throws(LedgerError) in
      last = row.integer("id") ?? last
      count += 1
      return try standing(row)
    }
    return (found.compactMap(\.self), count < limit ? nil : last)
  }

  private static let selectAccounts = """
    SELECT a.*, coalesce(l.tokens, 0) AS own_tokens, coalesce(l.cost_nano, 0) AS own_nano
    FROM budget_accounts AS a
    LEFT JOIN budget_leases AS l ON l.account_id = a.id AND l.replica_id = ?1
    WHERE a.id > ?2 AND (a.window_end IS NULL OR a.window_end > ?3)
    ORDER BY a.id LIMIT ?4
    """
  private static let selectCredits = """
    SELECT c.*, coalesce(l.tokens, 0) AS own_tokens, coalesce(l.cost_nano, 0) AS own_nano
    FROM token_credits AS c
    LEFT JOIN credit_leases AS l ON l.credit_id = c.id AND l.replica_id = ?1
    WHERE c.id > ?2 AND (c.expires_at IS NULL OR c.expires_at > ?3)
    ORDER BY c.id LIMIT ?4
    """
}

extension SharedStanding {
  /// - Parameters:
  ///   - allLeased: The leases of all replicas, including this one.
  ///   - own: The lease of the replica that reads the standing.
  init(
    of source: LeaseSource, settled: Spend, paidByCredits: Int64, allLeased: Spend, own: Spend
  ) {
    self.init(
      of: source, settled: settled, paidByCredits: paidByCredits, leased: own,
      leasedToOthers: Spend(
        tokens: max(0, allLeased.tokens - own.tokens),
        nanoUnits: max(0, allLeased.nanoUnits - own.nanoUnits)))
  }

  fileprivate init(account: AccountKey, from row: ColumnReader) {
    self.init(
      of: .account(account), settled: Spend("tokens", "cost_nano", of: row),
      paidByCredits: max(0, row.integer("paid_by_credits") ?? 0), from: row)
  }

  fileprivate init(_ credit: StoredCredit, from row: ColumnReader) {
    func drawn(_ amount: (Credit.Amount) -> Int64?) -> Int64 {
      max(0, (amount(credit.granted) ?? 0) - (amount(credit.remaining) ?? 0))
    }
    self.init(
      of: .credit(credit.key),
      settled: Spend(tokens: drawn { $0.tokens }, nanoUnits: drawn { $0.money?.nanoUnits }),
      paidByCredits: 0, from: row)
  }

  private init(
    of source: LeaseSource, settled: Spend, paidByCredits: Int64, from row: ColumnReader
  ) {
    self.init(
      of: source, settled: settled, paidByCredits: paidByCredits,
      allLeased: Spend("leased_tokens", "leased_nano", of: row),
      own: Spend("own_tokens", "own_nano", of: row))
  }
}

extension Spend {
  fileprivate init(_ tokens: String, _ nanoUnits: String, of row: ColumnReader) {
    self.init(
      tokens: max(0, row.integer(tokens) ?? 0), nanoUnits: max(0, row.integer(nanoUnits) ?? 0))
  }
}
