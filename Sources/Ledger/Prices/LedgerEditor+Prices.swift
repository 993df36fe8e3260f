public import Pricing

extension LedgerEditor {
  /// Sets a client's own prices for a model, in place of earlier ones.
  ///
  /// The caller must check that the client and the model exist.
  ///
  /// - Returns: The override, and whether the client had none before.
  /// - Throws: `LedgerError` if the database can't be written.
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

  /// Removes a client's own prices for a model, so that the book's apply again.
  /// - Throws: `LedgerError.notFound`.
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
