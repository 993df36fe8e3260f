public import Budgets
public import Time

/// An administrator's settings for a budget, or for one of its subjects, as `budget_controls`
/// records them.
public struct BudgetControl: Hashable, Sendable {
  public var target: Target
  /// Whether the target is paused; nil if a subject follows the whole budget.
  public var isPaused: Bool?
  public var raise: Raise?

  public init(target: Target, isPaused: Bool? = nil, raise: Raise? = nil) {
    self.target = target
    self.isPaused = isPaused
    self.raise = raise
  }
}

/// One reset of a budget, or of one of its subjects, as `budget_resets` records it.
public struct BudgetReset: Hashable, Sendable {
  /// Increases with each reset.
  public var id: Int64
  public var target: Target
  public var use: ResetUse
  public var at: Timestamp

  public init(id: Int64, target: Target, use: ResetUse, at: Timestamp) {
    self.id = id
    self.target = target
    self.use = use
    self.at = at
  }
}

/// Administrators' changes to budgets besides their definitions. They are applied together.
public struct BudgetControls: Sendable {
  /// All controls, whole budgets before their subjects.
  public var controls: [BudgetControl]
  /// Resets that haven't been applied yet, in order.
  public var resets: [BudgetReset]
  /// All resets of budgets that have just come back. Use that they cleared stays cleared.
  public var earlierResets: [BudgetReset] = []

  public init(controls: [BudgetControl], resets: [BudgetReset]) {
    self.controls = controls
    self.resets = resets
  }
}

extension BudgetState {
  /// Applies the differences between `former` and `new`, and the resets.
  ///
  /// A control waits if its budget doesn't exist, or if its subject's kind isn't the budget's. A
  /// file may bring the budget back.
  public mutating func apply(
    _ new: BudgetControls, replacing former: [BudgetControl], at now: Timestamp,
    events: inout [Event]
  ) {
    let before = Dictionary(former.map { ($0.target, $0) }) { first, _ in first }
    let after = Dictionary(new.controls.map { ($0.target, $0) }) { first, _ in first }
    var changedBudgets: Set<BudgetID> = []
    for target in Set(before.keys).union(after.keys) where before[target] != after[target] {
      changedBudgets.insert(target.budget)
    }
    for budget in changedBudgets.sorted(by: { $0.description < $1.description }) {
      let whole = after[Target(budget: budget)] ?? BudgetControl(target: Target(budget: budget))
      apply(whole, at: now, events: &events)
      for control in new.controls where control.target.budget == budget {
        if control.target.subject != nil { apply(control, at: now, events: &events) }
      }
    }
    for reset in new.earlierResets where reset.use == .clear {
      restoreClearing(of: reset.target, at: reset.at, now: now)
    }
    for reset in new.resets where isAddressable(reset.target) {
      _ = try? self.reset(
        reset.target, use: reset.use, asked: reset.at, at: now, events: &events)
    }
  }

  /// Restores recorded use before the first request, except use that a reset has cleared. The
  /// resets count as applied.
  public mutating func restore(
    _ uses: [RecordedUse], after resets: [BudgetReset], at now: Timestamp
  ) {
    restore(uses.filter { use in !resets.contains { $0.clears(use) } }, at: now)
    for reset in resets where reset.use == .clear {
      restoreClearing(of: reset.target, at: reset.at, now: now)
    }
  }

  private mutating func apply(
    _ control: BudgetControl, at now: Timestamp, events: inout [Event]
  ) {
    guard isAddressable(control.target) else { return }
    let isWhole = control.target.subject == nil
    if let isPaused = control.isPaused ?? (isWhole ? false : nil) {
      if isPaused {
        try? pause(control.target, at: now, events: &events)
      } else {
        try? resume(control.target, at: now, events: &events)
      }
    }
    if let raise = control.raise ?? (isWhole ? Raise(amount: .zero, until: now) : nil) {
      try? self.raise(control.target, by: raise, at: now, events: &events)
    }
  }

  private func isAddressable(_ target: Target) -> Bool {
    guard let definition = definition(of: target.budget) else { return false }
    return target.subject.map { $0.kind == definition.per } ?? true
  }
}

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
