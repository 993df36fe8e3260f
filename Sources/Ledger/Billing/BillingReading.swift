internal import Pricing

/// What `token_billing_charges` can be filtered by.
public enum ChargeColumn: String, Sendable, Hashable, CaseIterable {
  case client = "client_id"
  case period, status
  case request = "request_id"
}

/// A period of a client's plan with what it comes to.
public struct BillingStatement: Hashable, Sendable {
  public var period: BillingPeriod
  /// All tokens used in it.
  public var tokensTotal: Int64
  /// What was used of what its tiers measure: tokens, or nano-units of its currency.
  public var used: Int64
  /// By their blocks.
  public var charges: [BillingCharge]
}

extension LedgerReader {
  /// The charges with a larger id that have these values, in the order of their ids.
  public func charges(
    where conditions: [ChargeColumn: String], after id: Int64 = 0, limit: Int = .max
  ) throws(LedgerError) -> [BillingCharge] {
    let columns = Array(conditions)
    var sql = "SELECT * FROM token_billing_charges WHERE id > ?1"
    for (index, condition) in columns.enumerated() {
      sql += " AND \(condition.key.rawValue) = ?\(index + 3)"
    }
    let select = try connection.prepare(sql + " ORDER BY id LIMIT ?2")
    select.bind(id, at: 1)
    select.bind(Int64(limit), at: 2)
    for (index, condition) in columns.enumerated() {
      select.bind(condition.value, at: Int32(index + 3))
    }
    return try select.rows { fields throws(LedgerError) in try BillingCharge(from: fields) }
  }

  /// Charges that couldn't be collected and aren't paid, those that have waited longest first.
  public func unpaidCharges(limit: Int) throws(LedgerError) -> [BillingCharge] {
    let select = try connection.prepare(LedgerReader.selectUnpaid)
    select.bind(Int64(limit), at: 1)
    return try select.rows { fields throws(LedgerError) in try BillingCharge(from: fields) }
  }

  /// The latest period of each client that was ever billed and has a larger id, by their ids.
  public func latestBillingPeriods(
    afterClient clientID: String, limit: Int
  ) throws(LedgerError) -> [BillingPeriod] {
    let select = try connection.prepare(LedgerReader.selectLatestPeriods)
    select.bind(clientID, at: 1)
    select.bind(Int64(limit), at: 2)
    return try select.rows { fields throws(LedgerError) in try BillingPeriod(from: fields) }
  }

  /// What a client was billed for, the latest period first.
  public func billingPeriods(
    ofClient clientID: String, limit: Int
  ) throws(LedgerError) -> [BillingPeriod] {
    let select = try connection.prepare(LedgerReader.selectPeriods)
    select.bind(clientID, at: 1)
    select.bind(Int64(limit), at: 2)
    return try select.rows { fields throws(LedgerError) in try BillingPeriod(from: fields) }
  }

  private static let selectUnpaid = """
    SELECT * FROM token_billing_charges WHERE failing_since IS NOT NULL
    ORDER BY failing_since LIMIT ?
    """
  private static let selectLatestPeriods = """
    SELECT * FROM billing_periods AS latest WHERE client_id > ?1 AND period =
      (SELECT max(period) FROM billing_periods WHERE client_id = latest.client_id)
    ORDER BY client_id LIMIT ?2
    """
  private static let selectPeriods =
    "SELECT * FROM billing_periods WHERE client_id = ?1 ORDER BY period DESC LIMIT ?2"

  /// Nil where there is no such charge.
  public func charge(_ id: Int64) throws(LedgerError) -> BillingCharge? {
    try BillingChargeStore.find(id, connection)
  }

  /// Who a client is for the payment provider.
  public func paymentAccount(ofClient clientID: String) throws(LedgerError) -> PaymentAccount? {
    try PaymentAccountStore(connection).find(clientID)
  }

  /// The client that is a customer of the payment provider.
  public func paymentAccount(
    ofCustomer customerID: String
  ) throws(LedgerError) -> PaymentAccount? {
    try PaymentAccountStore(connection).find(customer: customerID)
  }

  /// What a client was billed for the period that begins in a month, such as `2026-11`; nil where
  /// it was not billed for one.
  public func billingStatement(
    of clientID: String, period name: String
  ) throws(LedgerError) -> BillingStatement? {
    try connection.snapshot { () throws(LedgerError) in
      let periods = try BillingPeriodStore(connection)
      guard let period = try periods.find(clientID, named: name) else { return nil }
      let use = try periods.use(in: period)
      let charges = try charges(where: [.client: clientID, .period: name])
      return BillingStatement(
        period: period, tokensTotal: use.tokens,
        used: use.measured(by: period.billing.measure),
        charges: charges.sorted { $0.block < $1.block })
    }
  }
}
