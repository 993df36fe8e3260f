public import Time

internal import Money

/// One line of the view `budget_status`.
public struct BudgetStatusRow: Hashable, Sendable {
  public var budgetID: String
  public var clientID: String
  /// The subject; nil if the budget is unused in its current window.
  public var subject: String?
  public var mode: String
  public var enforcement: String
  public var period: String
  public var limitTokens: Int64?
  public var currentTokens: Int64
  public var limitCostNano: Int64?
  public var currentCostNano: Int64
  /// The currency; nil for an unused budget in tokens.
  public var currency: String?
  /// The larger of the two limits' percentages, in tenths of a percent, rounded down.
  public var permilleUsed: Int64
  public var nextResetAt: Timestamp?
}

extension LedgerReader {
  /// Returns the counters whose window hasn't ended at `now`, for restoring the budget state. With
  /// nil, returns all counters.
  /// - Throws: `LedgerError` if the database can't be read.
  public func budgetAccounts(liveAt now: Timestamp?) throws(LedgerError) -> [BudgetAccount] {
    let select = try connection.prepare(LedgerReader.selectAccounts)
    select.bind(now?.rfc3339 ?? "")
    return try select.rows(passingOver: connection.unreadable, .closesClient) {
      fields throws(LedgerError) in
      let key = try BudgetAccountKey(from: fields)
      return BudgetAccount(
        id: fields.integer("id") ?? 0, key: key, tokens: fields.integer("tokens") ?? 0,
        cost: Money(nanoUnits: fields.integer("cost_nano") ?? 0, currency: key.currency))
    }
  }

  /// Returns the declared budgets with the figures of their current windows, without holds in
  /// flight.
  /// - Throws: `LedgerError` if the database can't be read, or a line can't be understood.
  public func budgetStatus(clientID: String? = nil) throws(LedgerError) -> [BudgetStatusRow] {
    let select = try connection.prepare(LedgerReader.selectStatus(connection.dialect))
    select.bind(clientID)
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
  /// An absurd use of a small limit can exceed 64 bits in tenths of a percent, so it is capped.
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
