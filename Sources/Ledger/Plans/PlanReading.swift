public import Budgets
public import Money
public import Time

/// The sums of a client's rows in a period of its plan.
public struct PlanUse: Hashable, Sendable {
  /// All rows that were admitted in the period.
  public var all: Spend
  /// The rows that were charged to the plan's budget in this period.
  public var charged: Spend
  /// The rows' tokens that credits have paid for.
  public var paidByCredits: Int64
}

extension LedgerReader {
  /// Returns a client's use since a period of its plan began.
  ///
  /// - Parameters:
  ///   - window: The period, or its part after a reset.
  ///   - currency: The currency of the cost. Rows that were billed in another one are left out.
  /// - Throws: `LedgerError` if the database can't be read.
  public func planUse(
    of clientID: String, in window: BudgetWindow, currency: Currency
  ) throws(LedgerError) -> PlanUse {
    try connection.snapshot { () throws(LedgerError) in
      let start = window.start.rfc3339
      let all = try figures(
        LedgerReader.sumRows(connection.dialect), clientID, start, currency.code)
      let charged = try figures(
        LedgerReader.sumCharged(connection.dialect), BudgetID.plan(of: clientID).description,
        start, currency.code)
      let paid = try figures(LedgerReader.sumDraws(connection.dialect), clientID, start)
      return PlanUse(all: all, charged: charged, paidByCredits: paid.tokens)
    }
  }

  private func figures(_ sql: String, _ values: String...) throws(LedgerError) -> Spend {
    let select = try connection.prepare(sql)
    defer { select.reset() }
    for (index, value) in values.enumerated() { select.bind(value, at: Int32(index + 1)) }
    guard try select.step() else { return .zero }
    return Spend(tokens: select.integer(0) ?? 0, nanoUnits: select.integer(1) ?? 0)
  }

  /// Returns the conversations that a client has begun since a time.
  /// - Throws: `LedgerError` if the database can't be read.
  public func conversations(
    ofClient clientID: String, since start: Timestamp
  ) throws(LedgerError) -> [String] {
    let select = try connection.prepare(
      """
      SELECT DISTINCT conversation_id FROM usage_logs
      WHERE client_id = ?1 AND created_at >= ?2 AND conversation_id IS NOT NULL
      """)
    select.bind(clientID, start.rfc3339)
    var ids: [String] = []
    try select.forEachRow {
      if let id = select.text(0) { ids.append(id) }
    }
    return ids
  }

  /// Returns the number of conversations that a client has begun since a time.
  /// - Throws: `LedgerError` if the database can't be read.
  public func conversationCount(
    ofClient clientID: String, since start: Timestamp
  ) throws(LedgerError) -> Int64 {
    let select = try connection.prepare(
      """
      SELECT count(DISTINCT conversation_id) FROM usage_logs
      WHERE client_id = ?1 AND created_at >= ?2
      """)
    select.bind(clientID, start.rfc3339)
    return try select.firstInteger() ?? 0
  }

  /// Returns a client's subscription; nil if it is on the default plan, or if a file names its
  /// plan.
  /// - Throws: `LedgerError` if the database can't be read, or the row can't be understood.
  public func subscription(
    ofClient clientID: String
  ) throws(LedgerError) -> StoredSubscription? {
    try connection.find(StoredSubscription.self, clientID)
  }

  private static func sumRows(_ dialect: Dialect) -> String {
    """
    SELECT \(dialect.total("total_tokens")),
      \(dialect.total("CASE WHEN currency = ?3 THEN cost_nano ELSE 0 END"))
    FROM usage_logs WHERE client_id = ?1 AND created_at >= ?2
    """
  }
  private static func sumCharged(_ dialect: Dialect) -> String {
    """
    SELECT \(dialect.total("tokens")), \(dialect.total("cost_nano")) FROM budget_accounts
    WHERE budget_id = ?1 AND window_start = ?2 AND currency = ?3
    """
  }
  private static func sumDraws(_ dialect: Dialect) -> String {
    """
    SELECT \(dialect.total("tokens")), 0 FROM credit_draws
    WHERE client_id = ?1 AND created_at >= ?2
    """
  }
}
