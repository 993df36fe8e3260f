internal import Ledger
internal import Money
internal import Pages
internal import Time

/// What was used over some days, as the analytics of the API count it.
struct UsageReportView {
  let first: CivilDate
  let last: CivilDate
  private let client: String?
  private let user: String?
  private let zone: TimeZoneRules
  private let call: Call

  /// How many days it is of.
  var days: Int { last.daysSinceEpoch - first.daysSinceEpoch + 1 }

  /// - Parameters:
  ///   - client: nil for all clients, in days of UTC.
  ///   - user: nil for all users.
  init(
    _ call: Call, client: String?, user: String? = nil, zone: TimeZoneRules, days: Int
  ) {
    let last = zone.civilDate(of: call.now)
    self.init(
      call, client: client, user: user, zone: zone, in: last.adding(days: 1 - days)...last)
  }

  /// - Parameters: as above, of these days.
  init(
    _ call: Call, client: String?, user: String? = nil, zone: TimeZoneRules,
    in days: ClosedRange<CivilDate>
  ) {
    self.user = user
    self.call = call
    self.client = client
    self.zone = zone
    (first, last) = (days.lowerBound, days.upperBound)
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
