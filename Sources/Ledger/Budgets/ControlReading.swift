public import Budgets
public import Time

extension LedgerReader {
  /// Returns the budgets that no file declares.
  /// - Throws: `LedgerError` if the database can't be read.
  public func storedBudgets() throws(LedgerError) -> [StoredBudget] {
    try StoredBudgetStore(connection).all()
  }

  /// Returns administrators' settings on budgets; whole budgets come before their subjects.
  /// - Throws: `LedgerError` if the database can't be read.
  public func budgetControls() throws(LedgerError) -> [BudgetControl] {
    try BudgetControlStore(connection).all()
  }

  /// Returns the resets after the one with this ID, in order.
  /// - Throws: `LedgerError` if the database can't be read.
  public func budgetResets(after id: Int64) throws(LedgerError) -> [BudgetReset] {
    try BudgetControlStore(connection).resets(after: id)
  }

  /// Returns all resets of the budgets, in order.
  /// - Throws: `LedgerError` if the database can't be read.
  public func budgetResets(of budgets: Set<BudgetID>) throws(LedgerError) -> [BudgetReset] {
    budgets.isEmpty ? [] : try BudgetControlStore(connection).resets(of: budgets)
  }

  /// Returns the times at which each budget was created and last changed, by its ID.
  /// - Throws: `LedgerError` if the database can't be read, or a row can't be understood.
  public func budgetDates() throws(LedgerError) -> [String: BudgetDates] {
    let select = try connection.prepare("SELECT id, created_at, updated_at FROM client_budgets")
    var dates: [String: BudgetDates] = [:]
    try select.forEachRow { () throws(LedgerError) in
      let fields = ColumnReader(statement: select)
      dates[try fields.requiredText("id", of: "a budget")] = BudgetDates(
        createdAt: try fields.requiredInstant("created_at", of: "a budget"),
        updatedAt: try fields.requiredInstant("updated_at", of: "a budget"))
    }
    return dates
  }

  /// Returns a claimed idempotency key; nil if it wasn't claimed within its lifetime.
  /// - Throws: `LedgerError` if the database can't be read, or the row can't be understood.
  public func claimedKey(
    _ key: String, of owner: String, at now: Timestamp
  ) throws(LedgerError) -> ClaimedKey? {
    try IdempotencyKeyStore(connection).find(key, of: owner, at: now)
  }

  /// Returns the digests of the admin tokens that no file declares, as 64 hexadecimal digits, by
  /// name.
  /// - Throws: `LedgerError` if the database can't be read.
  public func adminTokens() throws(LedgerError) -> [String: String] {
    try AdminTokenStore(connection).all()
  }
}

extension BudgetReset {
  /// Whether this reset has cleared a recorded use.
  func clears(_ use: RecordedUse) -> Bool {
    self.use == .clear && target.budget == use.budget && use.window.start < at
      && target.subject.map { $0 == use.subject } ?? true && !use.window.hasEnded(at: at)
  }
}
