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
  private let user: String?
  private let zone: TimeZoneRules
  private let call: Call

  /// - Parameters:
  ///   - client: nil for all clients, in days of UTC.
  ///   - user: nil for all users.
  init(
    _ call: Call, client: String?, user: String? = nil, zone: TimeZoneRules, days: Int
  ) {
    self.user = user
    self.call = call
    self.client = client
    self.zone = zone
    self.days = days
    last = zone.civilDate(of: call.now)
    first = last.adding(days: 1 - days)
  }

  /// - Parameter most: so many groups alone, the dearest; totals are then of these.
  func series(
    by grouping: UsageGrouping, most: Int? = nil
  ) throws(APIError) -> UsageSeries {
    var conditions: [UsageColumn: String] = [:]
    conditions[.client] = client
    conditions[.user] = user
    let query = UsageQuery(
      by: grouping, where: conditions, since: zone.startOfDay(first),
      until: zone.startOfDay(last.adding(days: 1)), zone: zone, most: most)
    return try call.usageSeries(of: query, days: first...last)
  }
}

extension UsageSeries {
  /// The sum of all, in the billing currency.
  func total(in currency: Currency) -> Line {
    totals.first ?? Line(cost: Money(nanoUnits: 0, currency: currency))
  }
}
