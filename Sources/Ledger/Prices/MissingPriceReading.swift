internal import Pricing
public import Time

extension LedgerReader {
  /// Returns the missing prices that requests needed at `since` or later, the most recently needed
  /// first. There is one entry for each client and outcome.
  ///
  /// - Throws: `LedgerError.unavailable`, or `LedgerError.unreadable` if a row can't be understood.
  public func missingPrices(since: Timestamp) throws(LedgerError) -> [MissingPriceSighting] {
    let select = try connection.prepare(LedgerReader.selectMissingPrices)
    select.bind(since.rfc3339)
    return try select.rows { fields throws(LedgerError) in
      let record = "a missing price"
      let name = try fields.requiredText("name", of: record)
      let kind = PriceDimension.Kind(rawValue: try fields.requiredText("kind", of: record))
      let outcome = MissingPriceSighting.Outcome(
        rawValue: try fields.requiredText("outcome", of: record))
      let client = try fields.requiredText("client_id", of: record)
      return MissingPriceSighting(
        MissingPrice(
          provider: try fields.requiredText("provider", of: record),
          model: try fields.requiredText("model", of: record),
          dimension: try fields.required(
            "kind", of: record, kind.flatMap { PriceDimension($0, name: name) })),
        clientID: client.isEmpty ? nil : client,
        outcome: try fields.required("outcome", of: record, outcome),
        requests: fields.integer("requests") ?? 0,
        firstSeen: try fields.requiredInstant("first_seen", of: record),
        lastSeen: try fields.requiredInstant("last_seen", of: record))
    }
  }

  private static let selectMissingPrices = """
    SELECT * FROM missing_prices WHERE last_seen >= ?1
    ORDER BY last_seen DESC, provider, model, kind, name, client_id, outcome
    """
}
