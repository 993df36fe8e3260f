internal import Ledger
internal import Money
internal import Pages
internal import Time

/// The usage over some days, as the API's analytics count it.
struct UsageReportView {
  let first: CivilDate
  let last: CivilDate
  private let client: String?
  private let user: String?
  private let zone: TimeZoneRules
  private let call: Call

  /// The number of days.
  var days: Int { last.daysSinceEpoch - first.daysSinceEpoch + 1 }

  /// - Parameters:
  ///   - client: Nil for all clients, in days of UTC.
  ///   - user: Nil for all users.
  ///   - days: The number of days, today included.
  init(
    _ call: Call, client: String?, user: String? = nil, zone: TimeZoneRules, days: Int
  ) {
    let last = zone.civilDate(of: call.now)
    self.init(
      call, client: client, user: user, zone: zone, in: last.adding(days: 1 - days)...last)
  }

  /// - Parameters: As above, for the given days.
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

  /// - Parameter most: The most groups; those with the highest cost are kept, and totals cover only
  ///   them.
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
  /// The total, in the billing currency.
  func total(in currency: Currency) -> Line {
    totals.first ?? Line(cost: Money(nanoUnits: 0, currency: currency))
  }
}
