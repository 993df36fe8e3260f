internal import Pricing

/// The columns by which `token_billing_charges` can be filtered.
public enum ChargeColumn: String, Sendable, Hashable, CaseIterable {
  case client = "client_id"
  case period, status
  case request = "request_id"
}

/// A period of a client's plan with its use and charges.
public struct BillingStatement: Hashable, Sendable {
  public var period: BillingPeriod
  /// All tokens used in the period.
  public var tokensTotal: Int64
  /// The use in the plan's unit: tokens, or nano-units of its currency.
  public var used: Int64
  /// The charges, by block.
  public var charges: [BillingCharge]
}

extension LedgerReader {
  /// Returns the charges with a larger ID and with these values, in the order of their IDs.
  /// - Throws: `LedgerError` if the database can't be read, or a row can't be understood.
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

  /// Returns the charges that couldn't be collected and aren't paid, the oldest first.
  /// - Throws: `LedgerError` if the database can't be read, or a row can't be understood.
  public func unpaidCharges(limit: Int) throws(LedgerError) -> [BillingCharge] {
    let select = try connection.prepare(LedgerReader.selectUnpaid)
    select.bind(limit)
    return try select.rows { fields throws(LedgerError) in try BillingCharge(from: fields) }
  }

  /// Returns the latest period of each client that was ever billed and has a larger ID, by client
  /// ID.
  /// - Throws: `LedgerError` if the database can't be read, or a row can't be understood.
  public func latestBillingPeriods(
    afterClient clientID: String, limit: Int
  ) throws(LedgerError) -> [BillingPeriod] {
    let select = try connection.prepare(LedgerReader.selectLatestPeriods)
    select.bind(clientID, limit)
    return try select.rows(BillingPeriod.table.read)
  }

  /// Returns a client's billing periods, the latest first.
  /// - Throws: `LedgerError` if the database can't be read, or a row can't be understood.
  public func billingPeriods(
    ofClient clientID: String, limit: Int
  ) throws(LedgerError) -> [BillingPeriod] {
    let select = try connection.prepare(LedgerReader.selectPeriods)
    select.bind(clientID, limit)
    return try select.rows(BillingPeriod.table.read)
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

  /// Returns a charge; nil if it doesn't exist.
  /// - Throws: `LedgerError` if the database can't be read, or the row can't be understood.
  public func charge(_ id: Int64) throws(LedgerError) -> BillingCharge? {
    try BillingChargeStore.find(id, connection)
  }

  /// Returns the client's account at the payment provider; nil if it has none.
  /// - Throws: `LedgerError` if the database can't be read, or the row can't be understood.
  public func paymentAccount(ofClient clientID: String) throws(LedgerError) -> PaymentAccount? {
    try PaymentAccountStore(connection).find(clientID)
  }

  /// Returns the account of the payment provider's customer; nil if it is unknown.
  /// - Throws: `LedgerError` if the database can't be read, or the row can't be understood.
  public func paymentAccount(
    ofCustomer customerID: String
  ) throws(LedgerError) -> PaymentAccount? {
    try PaymentAccountStore(connection).find(customer: customerID)
  }

  /// Returns a client's bill for the period that begins in a month, for example `2026-11`; nil if
  /// the client wasn't billed for it.
  /// - Throws: `LedgerError` if the database can't be read, or a row can't be understood.
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
