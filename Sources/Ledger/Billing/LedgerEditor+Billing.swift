internal import JSON
public import Time

// Changes of charges, and of clients' accounts at the payment provider.

extension LedgerEditor {
  /// Schedules a charge for an immediate attempt. Nothing changes if it is paid, if Catraca doesn't
  /// collect it, or if it is a fixed fee, which a subscription collects.
  /// - Throws: `LedgerError.notFound`.
  public func retryCharge(_ id: Int64) throws(LedgerError) -> BillingCharge {
    try connection.edit { () throws(LedgerError) in
      guard let before = try BillingChargeStore.find(id, connection) else {
        throw .notFound(record: "charge \(BillingCharge.name(id))")
      }
      let isPaid = before.status == .recorded || before.status == .succeeded
      if isPaid || before.block == 0 { return before }
      let update = try connection.prepare(LedgerEditor.makeDue)
      try update.run(author.now.rfc3339, id)
      let after = try BillingChargeStore.find(id, connection) ?? before
      try record("charge.retry", before: before, after: after)
      return after
    }
  }

  /// Links a client to its customer at the payment provider.
  ///
  /// - Parameter plan: The plan that the client gets from `startedOn` on, as with `subscribe`; nil
  ///   if it already has its plan.
  /// - Throws: `LedgerError` if the database can't be written.
  public func subscribe(
    _ account: PaymentAccount, to plan: String?, startedOn: CivilDate
  ) throws(LedgerError) {
    let accounts = PaymentAccountStore(connection)
    try connection.edit { () throws(LedgerError) in
      let before = try accounts.find(account.clientID)
      try accounts.replace(account, at: author.now)
      var subscription: StoredSubscription?
      if let plan {
        let former = try connection.find(StoredSubscription.self, account.clientID)
        subscription = try replace(former, account.clientID, by: plan, startedOn: startedOn)
      }
      try record(
        before == nil ? "subscription.create" : "subscription.update",
        of: "subscription:\(account.clientID)", client: account.clientID,
        before: before?.auditObject(nil), after: account.auditObject(subscription))
    }
  }

  private static let makeDue = """
    UPDATE token_billing_charges SET status = 'pending', next_attempt_at = ?1, updated_at = ?1
    WHERE id = ?2
    """
}

extension BillingCharge: AuditedRecord {
  var auditTarget: String { "charge:\(name)" }
  var auditedClient: String? { clientID }

  func writeAudited(to object: inout JSONWriter) {
    object.member("id", name)
    object.member("status", status.rawValue)
    object.member("last_error", lastError)
  }
}

extension PaymentAccount {
  fileprivate func auditObject(_ subscription: StoredSubscription?) -> String {
    var writer = JSONWriter()
    writer.object { object in
      if let subscription { object.member("plan", subscription.plan) }
      object.member("customer_id", customerID)
      object.member("subscription_id", subscriptionID)
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
