internal import Budgets

/// Rows that are written with the next commit, and that nobody waits for.
package struct UnawaitedRows: Sendable {
  var denials: [DenialRow] = []
  var alerts: [Alert] = []
  var missingPrices = MissingPriceTally()
  var limitPauses: [LimitPause] = []

  static let largestDenialCount = 10_000
  static let largestAlertCount = 10_000
  static let largestLimitPauseCount = 10_000

  var isEmpty: Bool {
    denials.isEmpty && alerts.isEmpty && missingPrices.isEmpty && limitPauses.isEmpty
  }

  /// Adds what came later, as far as there is room.
  ///
  /// - Returns: How many rows there was no room for.
  mutating func keep(_ later: UnawaitedRows) -> Int {
    keep(later.denials, at: \.denials, atMost: UnawaitedRows.largestDenialCount)
      + keep(later.alerts, at: \.alerts, atMost: UnawaitedRows.largestAlertCount)
      + missingPrices.add(later.missingPrices)
      + keep(later.limitPauses, at: \.limitPauses, atMost: UnawaitedRows.largestLimitPauseCount)
  }

  private mutating func keep<Row>(
    _ arrived: [Row], at rows: WritableKeyPath<UnawaitedRows, [Row]>, atMost limit: Int
  ) -> Int {
    let room = max(0, limit - self[keyPath: rows].count)
    self[keyPath: rows].append(contentsOf: arrived.prefix(room))
    return max(0, arrived.count - room)
  }

  mutating func removeAll() {
    denials.removeAll(keepingCapacity: true)
    alerts.removeAll()
    missingPrices = MissingPriceTally()
    limitPauses.removeAll()
  }
}
