public import Time

internal import Money

/// One line of the view `budget_status`.
public struct BudgetStatusRow: Hashable, Sendable {
  public var budgetID: String
  public var clientID: String
  /// Nil while nobody has used the budget in its current window.
  public var subject: String?
  public var mode: String
  public var enforcement: String
  public var period: String
  public var limitTokens: Int64?
  public var currentTokens: Int64
  public var limitCostNano: Int64?
  public var currentCostNano: Int64
  /// Nil for a budget in tokens that nobody has used.
  public var currency: String?
  /// The larger percentage of the two limits, in tenths of a percent, rounded down.
  public var permilleUsed: Int64
  public var nextResetAt: Timestamp?
}

extension LedgerReader {
  /// The counters whose window has not ended at `now`, to start a budget core with; without an
  /// instant all that ever were.
  public func budgetAccounts(liveAt now: Timestamp?) throws(LedgerError) -> [BudgetAccount] {
    let select = try connection.prepare(LedgerReader.selectAccounts)
    select.bind(now?.rfc3339 ?? "", at: 1)
    return try select.rows(passingOver: connection.unreadable, .closesClient) {
      fields throws(LedgerError) in
      let key = try BudgetAccountKey(from: fields)
      return BudgetAccount(
        id: fields.integer("id") ?? 0, key: key, tokens: fields.integer("tokens") ?? 0,
        cost: Money(nanoUnits: fields.integer("cost_nano") ?? 0, currency: key.currency))
    }
  }

  /// The declared budgets with their current windows' figures; holds in flight are not in them.
  public func budgetStatus(clientID: String? = nil) throws(LedgerError) -> [BudgetStatusRow] {
    let select = try connection.prepare(LedgerReader.selectStatus(connection.dialect))
    select.bind(clientID, at: 1)
    var rows: [BudgetStatusRow] = []
    try select.forEachRow { () throws(LedgerError) in
      let fields = ColumnReader(statement: select)
      let record = "a line of budget_status"
      rows.append(
        BudgetStatusRow(
          budgetID: try fields.requiredText("budget_id", of: record),
          clientID: try fields.requiredText("client_id", of: record),
          subject: fields.text("subject"), mode: try fields.requiredText("mode", of: record),
          enforcement: try fields.requiredText("enforcement", of: record),
          period: try fields.requiredText("period", of: record),
          limitTokens: fields.integer("limit_tokens"),
          currentTokens: fields.integer("current_tokens") ?? 0,
          limitCostNano: fields.integer("limit_cost_nano"),
          currentCostNano: fields.integer("current_cost_nano") ?? 0,
          currency: fields.text("currency"), permilleUsed: fields.integer("permille_used") ?? 0,
          nextResetAt: fields.text("next_reset_at").flatMap { Timestamp(rfc3339: $0) }))
    }
    return rows
  }

  private static let selectAccounts = """
    SELECT * FROM budget_accounts WHERE window_end IS NULL OR window_end > ?1 ORDER BY id
    """
  /// An absurd use of a small limit is more tenths of a percent than fit into 64 bits.
  private static func selectStatus(_ dialect: Dialect) -> String {
    let permille = "round(percentage_used * 10)"
    let most = "9000000000000000000.0"
    let countable =
      dialect == .sqlite ? "min(\(permille), \(most))" : "least(\(permille), \(most))"
    return """
      SELECT *, CAST(\(countable) AS BIGINT) AS permille_used FROM budget_status
      WHERE CAST(?1 AS TEXT) IS NULL OR client_id = ?1
      ORDER BY budget_id, subject NULLS FIRST
      """
  }
}
