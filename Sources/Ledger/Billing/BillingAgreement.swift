internal import Budgets
internal import Money
public import Pricing
public import Time

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

extension BillingPeriod: TableRecord {
  static let table = RecordTable<BillingPeriod>(
    "billing_periods", key: ["client_id", "period"], ifUnreadable: .isNotBilled,
    blank: BillingPeriod(
      clientID: "", name: "", plan: "", firstDay: .unread, endDay: .unread, billing: .unread),
    title: { "a billing period of client \($0.clientID)" },
    columns: [
      RecordColumn("client_id", \.clientID),
      RecordColumn("period", \.name),
      RecordColumn("plan", \.plan),
      RecordColumn("first_day", \.firstDay),
      RecordColumn("end_day", \.endDay),
      RecordColumn(billing: \.billing),
    ])
}

/// An agreement, with the first day on which it applies. Recovery bills requests of a killed
/// process by the agreements in `billing_agreements`.
struct StandingAgreement: Hashable {
  var agreement: BillingAgreement
  var since: CivilDate
}

extension StandingAgreement: TableRecord {
  /// An unreadable agreement is left out, because the next `sync` writes it again.
  static let table = RecordTable<StandingAgreement>(
    "billing_agreements", key: ["client_id"], ifUnreadable: .isLeftOut,
    blank: StandingAgreement(
      agreement: BillingAgreement(
        clientID: "", plan: "", startDay: 1, today: .unread, status: .recorded, billing: .unread),
      since: .unread),
    title: { "the billing agreement of client \($0.agreement.clientID)" },
    columns: [
      RecordColumn("client_id", \.agreement.clientID),
      RecordColumn("plan", \.agreement.plan),
      RecordColumn("start_day", \.agreement.startDay),
      RecordColumn("since", \.since),
      RecordColumn("today", \.agreement.today),
      RecordColumn("status", \.agreement.status),
      RecordColumn(billing: \.agreement.billing),
    ])
}

extension BillingCharge.Status: ColumnValue {}

/// Values that are replaced by those of a row.
extension CivilDate {
  fileprivate static let unread = CivilDate(daysSinceEpoch: 0)
}

extension PlanBilling {
  fileprivate static let unread = PlanBilling(
    fixedFee: Money(nanoUnits: 0, currency: .usd), included: 0, overage: nil)
}
