internal import Pricing
internal import Time

/// Writes `missing_prices`: one row for each price, client and outcome.
///
/// Requests name models and tiers freely, so only the latest rows of each outcome are kept. Refused
/// names never displace prices that answers lacked.
final class MissingPriceStore {
  private let upsert: Statement
  private let trim: Statement

  /// The number of rows to keep for each outcome.
  private static let mostRows: Int64 = 1_000

  init(_ connection: DatabaseConnection) throws(LedgerError) {
    upsert = try connection.prepare(MissingPriceStore.upsertRow(connection.dialect))
    trim = try connection.prepare(MissingPriceStore.removeOldest)
  }

  /// Adds the sightings, and removes the rows that were seen least recently.
  func add(_ tally: MissingPriceTally) throws(LedgerError) {
    guard !tally.isEmpty else { return }
    var outcomes: Set<MissingPriceSighting.Outcome> = []
    for sighting in tally.sightings {
      try add(sighting)
      outcomes.insert(sighting.outcome)
    }
    for outcome in outcomes {
      try trim.run(outcome.rawValue, MissingPriceStore.mostRows)
    }
  }

  private func add(_ sighting: MissingPriceSighting) throws(LedgerError) {
    try upsert.run(
      sighting.price.provider, sighting.price.model, sighting.price.dimension.kind.rawValue,
      sighting.price.dimension.name, sighting.clientID ?? "", sighting.outcome.rawValue,
      sighting.requests, sighting.firstSeen.rfc3339, sighting.lastSeen.rfc3339)
  }

  private static let key = "provider, model, kind, name, client_id, outcome"

  private static func upsertRow(_ dialect: Dialect) -> String {
    """
    INSERT INTO missing_prices (\(key), requests, first_seen, last_seen)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
    ON CONFLICT (\(key)) DO UPDATE SET
      \(dialect.additions(to: "missing_prices", ["requests"])),
      last_seen = \(dialect.larger("missing_prices.last_seen", "excluded.last_seen"))
    """
  }
  private static let removeOldest = """
    DELETE FROM missing_prices WHERE (\(key)) IN (
      SELECT \(key) FROM missing_prices WHERE outcome = ?1 ORDER BY last_seen, \(key)
      LIMIT (SELECT CASE WHEN count(*) > ?2 THEN count(*) - ?2 ELSE 0 END
        FROM missing_prices WHERE outcome = ?1))
    """
}
