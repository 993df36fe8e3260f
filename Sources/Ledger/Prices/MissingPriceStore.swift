internal import Budgets
internal import Pricing
public import Time

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

/// Creates alerts about missing prices: one for each price and UTC day, with a daily limit.
///
/// Apps choose model names freely, and each refused name could cause an alert. Refusals therefore
/// have their own limit, and never prevent an alert about a charge.
final class MissingPriceAlerts {
  private let selectTold: Statement
  private let countTold: Statement

  /// The most alerts of one day about refused requests.
  static let mostRefused: Int64 = 20
  /// The most alerts of one day about answers that were charged differently.
  static let mostCharged: Int64 = 100

  init(_ connection: DatabaseConnection) throws(LedgerError) {
    selectTold = try connection.prepare(MissingPriceAlerts.told)
    countTold = try connection.prepare(MissingPriceAlerts.count)
  }

  /// Returns the alerts that are due for the sightings, within the transaction that writes them.
  func due(_ tally: MissingPriceTally) throws(LedgerError) -> [Alert] {
    var due: [Alert] = []
    var room: [BudgetID: Int64] = [:]
    for sighting in tally.sightings {
      let alert = Alert(sighting)
      if due.contains(where: { $0.isAboutSamePrice(as: alert) }) { continue }
      if room[alert.budgetID] == nil { room[alert.budgetID] = try self.room(for: alert) }
      guard let left = room[alert.budgetID], left > 0, try !isTold(alert) else { continue }
      room[alert.budgetID] = left - 1
      due.append(alert)
    }
    return due
  }

  private func room(for alert: Alert) throws(LedgerError) -> Int64 {
    countTold.bind(alert.budgetID.description, alert.window.start.rfc3339)
    let most =
      alert.budgetID == .refusedPrices
      ? MissingPriceAlerts.mostRefused : MissingPriceAlerts.mostCharged
    return most - (try countTold.firstInteger() ?? 0)
  }

  private func isTold(_ alert: Alert) throws(LedgerError) -> Bool {
    selectTold.bind(alert.budgetID.description, alert.subject, alert.window.start.rfc3339)
    return try selectTold.firstInteger() != nil
  }

  private static let told =
    "SELECT id FROM alerts WHERE budget_id = ?1 AND subject = ?2 AND window_start = ?3 LIMIT 1"
  private static let count =
    "SELECT count(*) FROM alerts WHERE budget_id = ?1 AND window_start = ?2"
}

extension Alert {
  fileprivate func isAboutSamePrice(as other: Alert) -> Bool {
    (budgetID, subject, window) == (other.budgetID, other.subject, other.window)
  }
}
