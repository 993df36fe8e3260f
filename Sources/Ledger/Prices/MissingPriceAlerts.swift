internal import Budgets
internal import Time

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
