public import Budgets
public import Time

extension LedgerReader {
  /// The budgets that no file declares.
  public func storedBudgets() throws(LedgerError) -> [StoredBudget] {
    try StoredBudgetStore(connection).all()
  }

  /// What administrators have set on budgets; whole budgets come before their subjects.
  public func budgetControls() throws(LedgerError) -> [BudgetControl] {
    try BudgetControlStore(connection).all()
  }

  /// The resets after the one with this id, in their order.
  public func budgetResets(after id: Int64) throws(LedgerError) -> [BudgetReset] {
    try BudgetControlStore(connection).resets(after: id)
  }

  /// All resets of some budgets, in their order.
  public func budgetResets(of budgets: Set<BudgetID>) throws(LedgerError) -> [BudgetReset] {
    budgets.isEmpty ? [] : try BudgetControlStore(connection).resets(of: budgets)
  }

  /// When each budget came and last changed, by its id.
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

  /// An idempotency key that was claimed; nil where none was in its lifetime.
  public func claimedKey(
    _ key: String, of owner: String, at now: Timestamp
  ) throws(LedgerError) -> ClaimedKey? {
    try IdempotencyKeyStore(connection).find(key, of: owner, at: now)
  }

  /// The digests of the admin tokens that no file declares, 64 hexadecimal digits, by name.
  public func adminTokens() throws(LedgerError) -> [String: String] {
    try AdminTokenStore(connection).all()
  }
}

extension BudgetReset {
  /// Whether a recorded use no longer counts since this reset.
  func clears(_ use: RecordedUse) -> Bool {
    self.use == .clear && target.budget == use.budget && use.window.start < at
      && target.subject.map { $0 == use.subject } ?? true && !use.window.hasEnded(at: at)
  }
}
