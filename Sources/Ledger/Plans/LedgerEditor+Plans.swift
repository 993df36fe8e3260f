public import Time

// Changes of plans and of clients' subscriptions. The caller must know the plans and clients that
// files declare.

extension LedgerEditor {
  /// Creates a plan.
  /// - Throws: `LedgerError.alreadyExists`.
  public func create(_ plan: StoredPlan) throws(LedgerError) {
    try connection.edit { () throws(LedgerError) in
      if try connection.find(StoredPlan.self, plan.name) != nil {
        throw .alreadyExists(record: "a plan \(plan.name)")
      }
      try connection.insert(plan)
      try record("plan.create", before: nil, after: plan)
    }
  }

  /// Changes any property of a plan except its name.
  /// - Throws: `LedgerError.notFound`.
  public func updatePlan(
    _ name: String, _ change: (inout StoredPlan) -> Void
  ) throws(LedgerError) {
    try connection.edit { () throws(LedgerError) in
      _ = try update(try existingPlan(name), "plan.update", change)
    }
  }

  /// Removes a plan.
  /// - Throws: `LedgerError.notFound`, or `LedgerError.stillUsed` if a client is subscribed to it.
  public func removePlan(_ name: String) throws(LedgerError) {
    try connection.edit { () throws(LedgerError) in
      let plan = try existingPlan(name)
      if let user = try connection.all(StoredSubscription.self, where: "plan = ?", name).first {
        throw .stillUsed(record: "plan \(name)", by: "client \(user.clientID)")
      }
      try connection.delete(StoredPlan.self, name)
      try record("plan.delete", before: plan, after: nil)
    }
  }

  private func existingPlan(_ name: String) throws(LedgerError) -> StoredPlan {
    guard let plan = try connection.find(StoredPlan.self, name) else {
      throw .notFound(record: "plan \(name)")
    }
    return plan
  }

  /// Puts a client on a plan. A client with a subscription keeps its period; otherwise the period
  /// begins on `startedOn`.
  /// - Throws: `LedgerError` if the database can't be written.
  public func subscribe(
    _ clientID: String, to plan: String, startedOn: CivilDate
  ) throws(LedgerError) {
    try connection.edit { () throws(LedgerError) in
      let before = try connection.find(StoredSubscription.self, clientID)
      let after = try replace(before, clientID, by: plan, startedOn: startedOn)
      try record(
        before == nil ? "subscription.create" : "subscription.update", before: before,
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
    try connection.replace(subscription)
    return subscription
  }

  /// Puts a client back on the default plan.
  /// - Throws: `LedgerError.notFound`.
  public func unsubscribe(_ clientID: String) throws(LedgerError) {
    try connection.edit { () throws(LedgerError) in
      guard let subscription = try connection.find(StoredSubscription.self, clientID) else {
        throw .notFound(record: "subscription of client \(clientID)")
      }
      try end(subscription)
    }
  }

  func end(_ subscription: StoredSubscription) throws(LedgerError) {
    try connection.delete(StoredSubscription.self, subscription.clientID)
    try record("subscription.delete", before: subscription, after: nil)
  }
}
