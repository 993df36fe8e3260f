public import Pricing
public import Time

internal import Budgets

/// The terms by which a client's use is billed from now on.
public struct BillingAgreement: Hashable, Sendable {
  public var clientID: String
  /// The plan's name.
  public var plan: String
  /// The day of the month on which periods begin, 1…31.
  public var startDay: Int
  /// The current day in the client's time zone.
  public var today: CivilDate
  /// The status of new charges: `recorded` if Catraca doesn't collect them, `pending` otherwise.
  public var status: BillingCharge.Status
  public var billing: PlanBilling

  public init(
    clientID: String, plan: String, startDay: Int, today: CivilDate, status: BillingCharge.Status,
    billing: PlanBilling
  ) {
    self.clientID = clientID
    self.plan = plan
    self.startDay = startDay
    self.today = today
    self.status = status
    self.billing = billing
  }

  /// Returns the period that contains a day, on the current terms.
  func period(containing day: CivilDate) -> BillingPeriod {
    let months = BudgetPeriod.monthsFrom(day: startDay)
    let first = months.firstDay(containing: day) ?? day
    return BillingPeriod(
      clientID: clientID, name: BillingPeriod.name(beginningOn: first), plan: plan,
      firstDay: first, endDay: months.firstDay(after: first), billing: billing)
  }
}

/// A month of a client's plan, with its prices.
public struct BillingPeriod: Hashable, Sendable {
  public var clientID: String
  /// The month in which the period begins: `2026-11`.
  public var name: String
  public var plan: String
  /// The first day, in the client's time zone.
  public var firstDay: CivilDate
  /// The day after the last day.
  public var endDay: CivilDate
  public var billing: PlanBilling

  public static func name(beginningOn day: CivilDate) -> String {
    String(day.description.prefix(7))
  }

  func contains(_ day: CivilDate) -> Bool { firstDay <= day && day < endDay }
}
