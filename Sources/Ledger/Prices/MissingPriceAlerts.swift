internal import Budgets
internal import Time

/// Alerts about missing prices: one a price and day of UTC, and a few new ones a day.
///
/// Apps name models as they like, and each name that is refused could be an alert. So refusals have
/// a limit of their own, and never keep an alert about a charge from being written.
final class MissingPriceAlerts {
  private let selectTold: Statement
  private let countTold: Statement

  /// Alerts of one day about requests that were refused.
  static let mostRefused: Int64 = 20
  /// Alerts of one day about answers that were charged otherwise.
  static let mostCharged: Int64 = 100

  init(_ connection: DatabaseConnection) throws(LedgerError) {
    selectTold = try connection.prepare(MissingPriceAlerts.told)
    countTold = try connection.prepare(MissingPriceAlerts.count)
  }

  /// The alerts that are due for what was seen, within the transaction that writes it.
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
    countTold.bind(alert.budgetID.description, at: 1)
    countTold.bind(alert.window.start.rfc3339, at: 2)
    let most =
      alert.budgetID == .refusedPrices
      ? MissingPriceAlerts.mostRefused : MissingPriceAlerts.mostCharged
    return most - (try countTold.firstInteger() ?? 0)
  }

  private func isTold(_ alert: Alert) throws(LedgerError) -> Bool {
    selectTold.bind(alert.budgetID.description, at: 1)
    selectTold.bind(alert.subject, at: 2)
    selectTold.bind(alert.window.start.rfc3339, at: 3)
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
