public import Pricing

extension LedgerEditor {
  /// Gives a client prices of its own for a model, in the place of those that it has.
  ///
  /// Whether there are the client and the model is for the caller to know. Returns also whether it
  /// had none before.
  public func replacePrices(
    _ prices: AgreedPrices, ofModel model: String, of provider: String, forClient clientID: String
  ) throws(LedgerError) -> (override: StoredPriceOverride, isNew: Bool) {
    let overrides = PriceOverrideStore(connection)
    return try connection.edit { () throws(LedgerError) in
      let before = try inForce(model, of: provider, forClient: clientID)
      let after = StoredPriceOverride(
        clientID: clientID, number: try overrides.nextNumber(of: clientID), provider: provider,
        model: model, prices: prices, createdAt: author.now)
      if let before { try overrides.end(before, at: author.now) }
      try overrides.insert(after)
      try record(
        before == nil ? "pricing.create" : "pricing.update", after, before: before, after: after)
      return (after, before == nil)
    }
  }

  /// Gives a client the book's prices for a model again. Throws `notFound`.
  public func removePrices(
    ofModel model: String, of provider: String, forClient clientID: String
  ) throws(LedgerError) {
    try connection.edit { () throws(LedgerError) in
      guard let before = try inForce(model, of: provider, forClient: clientID) else {
        throw .notFound(record: "price override of client \(clientID) for \(provider)/\(model)")
      }
      try PriceOverrideStore(connection).end(before, at: author.now)
      try record("pricing.delete", before, before: before, after: nil)
    }
  }

  private func inForce(
    _ model: String, of provider: String, forClient clientID: String
  ) throws(LedgerError) -> StoredPriceOverride? {
    try PriceOverrideStore(connection).all(of: clientID)
      .first { $0.provider == provider && $0.model == model }
  }

  private func record(
    _ action: String, _ override: StoredPriceOverride, before: StoredPriceOverride?,
    after: StoredPriceOverride?
  ) throws(LedgerError) {
    try auditLog.append(
      AuditEntry(
        actor: author.actor, action: action,
        target: "pricing:\(override.clientID)/\(override.provider)/\(override.model)",
        clientID: override.clientID, before: before?.auditObject, after: after?.auditObject,
        createdAt: author.now))
  }
}
