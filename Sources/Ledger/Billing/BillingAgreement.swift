internal import Budgets
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

/// Reads and writes `billing_agreements`: the terms of each billed client. Recovery bills requests
/// of a killed process by them.
final class BillingAgreementStore {
  /// An agreement, with the first day on which it applies.
  struct Standing {
    var agreement: BillingAgreement
    var since: CivilDate
  }

  private let unreadable: UnreadableRows?
  private let select: Statement
  private let replace: Statement
  private let remove: Statement

  init(_ connection: DatabaseConnection) throws(LedgerError) {
    unreadable = connection.unreadable
    select = try connection.prepare("SELECT * FROM billing_agreements")
    replace = try connection.prepare(BillingAgreementStore.replaceRow)
    remove = try connection.prepare("DELETE FROM billing_agreements WHERE client_id = ?")
  }

  func all() throws(LedgerError) -> [String: Standing] {
    // The next `sync` writes an unreadable agreement again.
    let standings = try select.rows(passingOver: unreadable, .isLeftOut) {
      fields throws(LedgerError) in
      Standing(
        agreement: try BillingAgreement(from: fields),
        since: try fields.requiredDay("since", of: "a billing agreement"))
    }
    return Dictionary(uniqueKeysWithValues: standings.map { ($0.agreement.clientID, $0) })
  }

  func replace(_ standing: Standing) throws(LedgerError) {
    var parameters = ParameterWriter(replace)
    standing.agreement.write(to: &parameters, since: standing.since)
    try replace.run()
  }

  func remove(_ clientID: String) throws(LedgerError) {
    try remove.run(clientID)
  }

  /// The columns of `BillingAgreement.write(to:since:)`, in its order.
  private static let replaceRow = Upsert(
    into: "billing_agreements", key: ["client_id"],
    columns: [
      "client_id", "plan", "start_day", "since", "today", "status", "currency", "fixed_fee_nano",
      "measure", "included", "overage_every", "overage_charge_nano",
    ]
  ).sql
}
