public import Budgets
internal import Time

extension LedgerEditor {
  /// Makes a budget, or puts it in the place of the one of its id, whose `createdAt` it keeps.
  ///
  /// Whether the client is there, and whether a file declares the budget, is for the caller to
  /// know. Returns whether there was none before.
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

  /// Makes a budget unless there is one of its id; returns whether it did.
  ///
  /// Whether the client is there, and whether a file declares the budget, is for the caller to
  /// know.
  public func insert(_ budget: StoredBudget) throws(LedgerError) -> Bool {
    try connection.edit { () throws(LedgerError) in
      guard try budgets.find(budget.id) == nil else { return false }
      try budgets.replace(budget)
      try record("budget.create", budget.id, before: nil, after: budget.auditObject)
      return true
    }
  }

  /// Removes a budget that no file declares, with what was set on it. Throws `notFound`.
  public func removeBudget(_ id: BudgetID) throws(LedgerError) {
    try connection.edit { () throws(LedgerError) in
      guard let budget = try budgets.find(id) else { throw .notFound(record: "budget \(id)") }
      try budgets.remove(id)
      try controls.removeAll(of: id)
      try record("budget.delete", id, before: budget.auditObject, after: nil)
    }
  }

  /// Pauses or resumes a budget, declared or not, or one subject of it.
  ///
  /// - Parameter note: why, for the audit log alone.
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

  /// Adds to the limits for a while; replaces an earlier raise, and one of nothing ends it.
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

  /// Re-arms the alerts, and with `clear` lets what is used so far no longer count.
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
