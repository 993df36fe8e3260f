internal import Ledger
internal import Money
internal import Pages
internal import Time

/// What was used over some days, as the analytics of the API count it.
struct UsageReport {
  let days: Int
  let first: CivilDate
  let last: CivilDate
  private let client: String?
  private let zone: TimeZoneRules
  private let call: Call

  /// - Parameter client: nil for all clients, in days of UTC.
  init(_ call: Call, client: String?, zone: TimeZoneRules, days: Int) {
    self.call = call
    self.client = client
    self.zone = zone
    self.days = days
    last = zone.civilDate(of: call.now)
    first = last.adding(days: 1 - days)
  }

  func series(by grouping: UsageGrouping) throws(APIError) -> UsageSeries {
    let query = UsageQuery(
      by: grouping, where: client.map { [.client: $0] } ?? [:], since: zone.startOfDay(first),
      until: zone.startOfDay(last.adding(days: 1)), zone: zone)
    return try call.usageSeries(of: query, days: first...last)
  }
}

extension UsageSeries {
  /// The sum of all, in the billing currency.
  func total(in currency: Currency) -> Line {
    totals.first ?? Line(cost: Money(nanoUnits: 0, currency: currency))
  }
}
