public import Time

// Changes of plans and of clients' subscriptions. The caller must know the plans and clients that
// files declare.

extension LedgerEditor {
  /// Creates a plan.
  /// - Throws: `LedgerError.alreadyExists`.
  public func create(_ plan: StoredPlan) throws(LedgerError) {
    try connection.edit { () throws(LedgerError) in
      if try plans.find(plan.name) != nil {
        throw .alreadyExists(record: "a plan \(plan.name)")
      }
      try plans.replace(plan)
      try record("plan.create", plan.name, before: nil, after: plan)
    }
  }

  /// Changes any property of a plan except its name.
  /// - Throws: `LedgerError.notFound`.
  public func updatePlan(
    _ name: String, _ change: (inout StoredPlan) -> Void
  ) throws(LedgerError) {
    try connection.edit { () throws(LedgerError) in
      guard let before = try plans.find(name) else { throw .notFound(record: "plan \(name)") }
      var after = before
      change(&after)
      after.updatedAt = author.now
      try plans.replace(after)
      try record("plan.update", name, before: before, after: after)
    }
  }

  /// Removes a plan.
  /// - Throws: `LedgerError.notFound`, or `LedgerError.stillUsed` if a client is subscribed to it.
  public func removePlan(_ name: String) throws(LedgerError) {
    try connection.edit { () throws(LedgerError) in
      guard let plan = try plans.find(name) else { throw .notFound(record: "plan \(name)") }
      if let user = try subscriptions.all().first(where: { $0.plan == name }) {
        throw .stillUsed(record: "plan \(name)", by: "client \(user.clientID)")
      }
      try plans.remove(name)
      try record("plan.delete", name, before: plan, after: nil)
    }
  }

  /// Puts a client on a plan. A client with a subscription keeps its period; otherwise the period
  /// begins on `startedOn`.
  /// - Throws: `LedgerError` if the database can't be written.
  public func subscribe(
    _ clientID: String, to plan: String, startedOn: CivilDate
  ) throws(LedgerError) {
    try connection.edit { () throws(LedgerError) in
      let before = try subscriptions.find(clientID)
      let after = try replace(before, clientID, by: plan, startedOn: startedOn)
      try record(
        before == nil ? "subscription.create" : "subscription.update", after, before: before,
        after: after)
    }
  }

  /// Changes the plan of a subscription, or creates a subscription.
  func replace(
    _ former: StoredSubscription?, _ clientID: String, by plan: String, startedOn: CivilDate
  ) throws(LedgerError) -> StoredSubscription {
    var subscription =
      former
      ?? StoredSubscription(
        clientID: clientID, plan: plan, startedOn: startedOn, createdAt: author.now)
    subscription.plan = plan
    subscription.status = .active
    subscription.updatedAt = author.now
    try subscriptions.replace(subscription)
    return subscription
  }

  /// Puts a client back on the default plan.
  /// - Throws: `LedgerError.notFound`.
  public func unsubscribe(_ clientID: String) throws(LedgerError) {
    try connection.edit { () throws(LedgerError) in
      guard let subscription = try subscriptions.find(clientID) else {
        throw .notFound(record: "subscription of client \(clientID)")
      }
      try end(subscription)
    }
  }

  func end(_ subscription: StoredSubscription) throws(LedgerError) {
    try subscriptions.remove(subscription.clientID)
    try record("subscription.delete", subscription, before: subscription, after: nil)
  }

  /// Gives a client a credit, and returns it with its ID.
  /// - Throws: `LedgerError` if the database can't be written.
  public func grant(_ credit: StoredCredit) throws(LedgerError) -> StoredCredit {
    try connection.edit { () throws(LedgerError) in
      let recorded = try credits.insert(credit)
      try auditLog.append(
        AuditEntry(
          actor: author.actor, action: "credit.create", target: "credit:\(recorded.name)",
          clientID: credit.clientID, before: nil, after: recorded.auditObject,
          createdAt: author.now))
      return recorded
    }
  }

  private func record(
    _ action: String, _ name: String, before: StoredPlan?, after: StoredPlan?
  ) throws(LedgerError) {
    try auditLog.append(
      AuditEntry(
        actor: author.actor, action: action, target: "plan:\(name)", clientID: nil,
        before: before?.auditObject, after: after?.auditObject, createdAt: author.now))
  }

  func record(
    _ action: String, _ subscription: StoredSubscription, before: StoredSubscription?,
    after: StoredSubscription?
  ) throws(LedgerError) {
    try auditLog.append(
      AuditEntry(
        actor: author.actor, action: action, target: "subscription:\(subscription.clientID)",
        clientID: subscription.clientID, before: before?.auditObject,
        after: after?.auditObject, createdAt: author.now))
  }
}
