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
      let before = try budgets.find(budget.id)
      var after = budget
      if let before { after.createdAt = before.createdAt }
      try budgets.replace(after)
      try record(
        before == nil ? "budget.create" : "budget.update", budget.id,
        before: before?.auditObject, after: after.auditObject)
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
      guard try budgets.find(budget.id) == nil else { return false }
      try budgets.replace(budget)
      try record("budget.create", budget.id, before: nil, after: budget.auditObject)
      return true
    }
  }

  /// Removes a budget that no file declares, with its controls.
  /// - Throws: `LedgerError.notFound`.
  public func removeBudget(_ id: BudgetID) throws(LedgerError) {
    try connection.edit { () throws(LedgerError) in
      guard let budget = try budgets.find(id) else { throw .notFound(record: "budget \(id)") }
      try budgets.remove(id)
      try controls.removeAll(of: id)
      try record("budget.delete", id, before: budget.auditObject, after: nil)
    }
  }

  /// Pauses or resumes a budget, declared or not, or one of its subjects.
  ///
  /// - Parameter note: The reason, for the audit log only.
  /// - Throws: `LedgerError` if the database can't be written.
  public func setPaused(
    _ isPaused: Bool, _ target: Target, note: String? = nil
  ) throws(LedgerError) {
    try connection.edit { () throws(LedgerError) in
      let before = try controls.find(target)
      if target.subject == nil { try controls.forgetPauses(ofSubjectsOf: target.budget) }
      var after = before
      after.isPaused = isPaused
      try controls.replace(after)
      try record(
        isPaused ? "budget.pause" : "budget.resume", target.budget, before: before.auditObject(),
        after: after.auditObject(note: note))
    }
  }

  /// Raises the limits for a limited time, in place of an earlier raise. An empty raise ends it.
  /// - Throws: `LedgerError` if the database can't be written.
  public func raise(_ target: Target, by raise: Raise) throws(LedgerError) {
    try connection.edit { () throws(LedgerError) in
      let before = try controls.find(target)
      if target.subject == nil { try controls.forgetRaises(ofSubjectsOf: target.budget) }
      var after = before
      after.raise = raise
      try controls.replace(after)
      try record(
        "budget.raise", target.budget, before: before.auditObject(), after: after.auditObject())
    }
  }

  /// Re-arms the alerts, and with `clear` discards the use so far.
  /// - Throws: `LedgerError` if the database can't be written.
  public func reset(_ target: Target, use: ResetUse) throws(LedgerError) {
    try connection.edit { () throws(LedgerError) in
      try controls.append(use, of: target, at: author.now)
      try record(
        "budget.reset", target.budget, before: nil, after: #"{"usage":"\#(use.rawValue)"}"#)
    }
  }

  private func record(
    _ action: String, _ id: BudgetID, before: String?, after: String?
  ) throws(LedgerError) {
    try auditLog.append(
      AuditEntry(
        actor: author.actor, action: action, target: "budget:\(id)", clientID: id.client,
        before: before, after: after, createdAt: author.now))
  }
}
