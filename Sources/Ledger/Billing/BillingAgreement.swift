public import Pricing
public import Time

internal import Budgets

/// By what a client is billed for what it uses from now on.
public struct BillingAgreement: Hashable, Sendable {
  public var clientID: String
  /// The plan's name.
  public var plan: String
  /// The day of the month on which its periods begin, 1…31.
  public var startDay: Int
  /// In the client's time zone.
  public var today: CivilDate
  /// What its new charges are: `recorded` where nobody collects them, else `pending`.
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

  /// The period that a day lies in, as it is billed now.
  func period(containing day: CivilDate) -> BillingPeriod {
    let months = BudgetPeriod.monthsFrom(day: startDay)
    let first = months.firstDay(containing: day) ?? day
    return BillingPeriod(
      clientID: clientID, name: BillingPeriod.name(beginningOn: first), plan: plan,
      firstDay: first, endDay: months.firstDay(after: first), billing: billing)
  }
}

/// A month of a client's plan, and what is charged for it.
public struct BillingPeriod: Hashable, Sendable {
  public var clientID: String
  /// The month that it begins in: `2026-11`.
  public var name: String
  public var plan: String
  /// In the client's time zone.
  public var firstDay: CivilDate
  /// The day after the last.
  public var endDay: CivilDate
  public var billing: PlanBilling

  public static func name(beginningOn day: CivilDate) -> String {
    String(day.description.prefix(7))
  }

  func contains(_ day: CivilDate) -> Bool { firstDay <= day && day < endDay }
}
