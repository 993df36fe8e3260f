internal import Time

/// `unpriced_models`: one row a model, the latest alone, since requests can name any.
final class UnpricedModelStore {
  private let upsert: Statement
  private let trim: Statement

  /// How many models are remembered.
  private static let mostModels: Int64 = 1_000

  init(_ connection: Connection) throws(LedgerError) {
    upsert = try connection.prepare(UnpricedModelStore.upsertRow(connection.dialect))
    trim = try connection.prepare(UnpricedModelStore.removeOldest)
  }

  /// Counts a refusal; where too many models are remembered, the one not seen for longest is not.
  func add(_ model: UnpricedModel) throws(LedgerError) {
    upsert.bind(model.model, at: 1)
    upsert.bind(model.detail ?? "", at: 2)
    upsert.bind(model.clientID, at: 3)
    upsert.bind(model.requests, at: 4)
    upsert.bind(model.lastSeen.rfc3339, at: 5)
    try upsert.run()
    trim.bind(UnpricedModelStore.mostModels, at: 1)
    try trim.run()
  }

  private static func upsertRow(_ dialect: Dialect) -> String {
    """
    INSERT INTO unpriced_models (model, detail, client_id, requests, last_seen)
    VALUES (?1, ?2, ?3, ?4, ?5)
    ON CONFLICT (model, detail) DO UPDATE SET client_id = excluded.client_id,
      \(dialect.additions(to: "unpriced_models", ["requests"])), last_seen = excluded.last_seen
    """
  }
  private static let removeOldest = """
    DELETE FROM unpriced_models WHERE (SELECT count(*) FROM unpriced_models) > ?1
      AND (model, detail) = (SELECT model, detail FROM unpriced_models ORDER BY last_seen LIMIT 1)
    """
}
