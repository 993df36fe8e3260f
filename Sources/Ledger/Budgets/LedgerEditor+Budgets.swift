public import Budgets
internal import Time

extension LedgerEditor {
  /// Creates a budget, or replaces the one with the same ID and keeps its `createdAt`.
  ///
  /// The caller must check that the client exists and that no file declares the budget.
  ///
  /// - Returns: Whether the budget is new.
  /// - Throws: `LedgerError` if the database can't be written.
  public func replace(_ budget: StoredBudget) throws(LedgerError) -> Bool {
    try connection.edit { () throws(LedgerError) in
      let before = try connection.find(StoredBudget.self, budget.id.description)
      var after = budget
      if let before { after.createdAt = before.createdAt }
      try connection.replace(after)
      try record(before == nil ? "budget.create" : "budget.update", before: before, after: after)
      return before == nil
    }
  }

  /// Creates a budget unless one with its ID exists.
  ///
  /// The caller must check that the client exists and that no file declares the budget.
  ///
  /// - Returns: Whether the budget was created.
  /// - Throws: `LedgerError` if the database can't be written.
  public func insert(_ budget: StoredBudget) throws(LedgerError) -> Bool {
    try connection.edit { () throws(LedgerError) in
      guard try connection.find(StoredBudget.self, budget.id.description) == nil else {
        return false
      }
      try connection.replace(budget)
      try record("budget.create", before: nil, after: budget)
      return true
    }
  }

  /// Removes a budget that no file declares, with its controls.
  /// - Throws: `LedgerError.notFound`.
  public func removeBudget(_ id: BudgetID) throws(LedgerError) {
    try connection.edit { () throws(LedgerError) in
      guard let budget = try connection.find(StoredBudget.self, id.description) else {
        throw .notFound(record: "budget \(id)")
      }
      try connection.delete(StoredBudget.self, id.description)
      // The budget's resets stay, as its use does, so that cleared use stays cleared if the budget
      // comes back. IDs of resets are therefore never reused, and servers find new resets by the
      // IDs above the last known one.
      try run("DELETE FROM budget_controls WHERE budget_id = ?", id)
      try record("budget.delete", before: budget, after: nil)
    }
  }

  /// Pauses or resumes a budget, declared or not, or one of its subjects.
  ///
  /// - Parameter note: The reason, for the audit log only.
  /// - Throws: `LedgerError` if the database can't be written.
  public func setPaused(
    _ isPaused: Bool, _ target: Target, note: String? = nil
  ) throws(LedgerError) {
    try change(target, isPaused ? "budget.pause" : "budget.resume", note: note) {
      control throws(LedgerError) in
      // The pause of each subject follows the whole budget's from now on.
      if target.subject == nil {
        try run("UPDATE budget_controls SET paused = NULL WHERE budget_id = ?", target.budget)
      }
      control.isPaused = isPaused
    }
  }

  /// Raises the limits for a limited time, in place of an earlier raise. An empty raise ends it.
  /// - Throws: `LedgerError` if the database can't be written.
  public func raise(_ target: Target, by raise: Raise) throws(LedgerError) {
    try change(target, "budget.raise") { control throws(LedgerError) in
      if target.subject == nil {
        try run(
          """
          UPDATE budget_controls SET raise_tokens = NULL, raise_cost_nano = NULL, raise_until = NULL
          WHERE budget_id = ?
          """, target.budget)
      }
      control.raise = raise
    }
  }

  /// Re-arms the alerts, and with `clear` discards the use so far.
  /// - Throws: `LedgerError` if the database can't be written.
  public func reset(_ target: Target, use: ResetUse) throws(LedgerError) {
    try connection.edit { () throws(LedgerError) in
      try connection.insert(BudgetReset(id: 0, target: target, use: use, at: author.now))
      try record(
        "budget.reset", of: "budget:\(target.budget)", client: target.budget.client,
        after: #"{"usage":"\#(use.rawValue)"}"#)
    }
  }

  /// Changes a target's control, and writes the change to the audit log.
  private func change(
    _ target: Target, _ action: String, note: String? = nil,
    _ body: (inout BudgetControl) throws(LedgerError) -> Void
  ) throws(LedgerError) {
    try connection.edit { () throws(LedgerError) in
      let before =
        try connection.find(
          BudgetControl.self, target.budget.description, target.subjectText)
        ?? BudgetControl(target: target)
      var after = before
      try body(&after)
      try connection.replace(after)
      try record(
        action, of: "budget:\(target.budget)", client: target.budget.client,
        before: before.auditObject(), after: after.auditObject(note: note))
    }
  }

  private func run(_ sql: String, _ budget: BudgetID) throws(LedgerError) {
    try connection.prepare(sql).run(budget.description)
  }
}
