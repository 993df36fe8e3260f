internal import Money
internal import Pricing
internal import Time

/// Reads and writes `billing_periods`: the months for which clients are billed, and their use in
/// them.
final class BillingPeriodStore {
  /// The sums of a period's rows.
  struct Use {
    var tokens: Int64 = 0
    /// The cost in nano-units of the period's currency; 0 if the period measures tokens.
    var cost: Int64 = 0

    func measured(by measure: PlanBilling.Measure) -> Int64 {
      measure == .tokens ? tokens : cost
    }
  }

  private let connection: DatabaseConnection
  private let replace: Statement
  private let setChargesBefore: Statement
  private let truncate: Statement
  private let find: Statement
  private let findNamed: Statement
  private let latest: Statement
  private let sumTokens: Statement
  private let sumCost: Statement

  init(_ connection: DatabaseConnection) throws(LedgerError) {
    self.connection = connection
    replace = try connection.prepare(BillingPeriod.table.replacement)
    setChargesBefore = try connection.prepare(BillingPeriodStore.updateChargesBefore)
    truncate = try connection.prepare(BillingPeriodStore.truncateEarlier)
    find = try connection.prepare(BillingPeriodStore.findContaining)
    findNamed = try connection.prepare(
      "SELECT * FROM billing_periods WHERE client_id = ? AND period = ?")
    latest = try connection.prepare(BillingPeriodStore.findLatest)
    sumTokens = try connection.prepare(BillingPeriodStore.sumTokens(connection.dialect))
    sumCost = try connection.prepare(BillingPeriodStore.sumCost(connection.dialect))
  }

  /// Returns all clients that were ever billed.
  func clients() throws(LedgerError) -> Set<String> {
    let select = try connection.prepare("SELECT DISTINCT client_id FROM billing_periods")
    return Set(
      try select.rows { fields throws(LedgerError) in
        try fields.requiredText("client_id", of: "a billing period")
      })
  }

  /// Opens a period, or changes its terms. If it begins within another period, that one ends there.
  func replace(_ period: BillingPeriod) throws(LedgerError) {
    try truncate.run(period.clientID, period.firstDay.description)
    BillingPeriod.table.bind(period, to: replace)
    try replace.run()
    try setChargesBefore.run(period.clientID, period.name)
  }

  /// Returns the client's period that contains a day.
  func find(_ clientID: String, containing day: CivilDate) throws(LedgerError) -> BillingPeriod? {
    find.bind(clientID, day.description)
    return try first(of: find)
  }

  func find(_ clientID: String, named name: String) throws(LedgerError) -> BillingPeriod? {
    findNamed.bind(clientID, name)
    return try first(of: findNamed)
  }

  func latest(of clientID: String) throws(LedgerError) -> BillingPeriod? {
    latest.bind(clientID)
    return try first(of: latest)
  }

  private func first(of select: Statement) throws(LedgerError) -> BillingPeriod? {
    try select.firstRow(BillingPeriod.table.read)
  }

  /// Returns the use of a period from the rollups, whose sums must have been written.
  func use(in period: BillingPeriod) throws(LedgerError) -> Use {
    func sum(_ select: Statement) throws(LedgerError) -> Int64 {
      select.bind(period.clientID, at: 1)
      select.bind(period.firstDay.description, at: 2)
      select.bind(period.endDay.description, at: 3)
      if select === sumCost { select.bind(period.billing.currency.code, at: 4) }
      return try select.firstInteger() ?? 0
    }
    return Use(
      tokens: try sum(sumTokens),
      cost: period.billing.measure == .cost ? try sum(sumCost) : 0)
  }

  private static let updateChargesBefore = """
    UPDATE billing_periods SET charges_before =
      (SELECT coalesce(max(c.id), 0) FROM token_billing_charges AS c WHERE c.client_id = ?1)
    WHERE client_id = ?1 AND period = ?2
    """
  private static let truncateEarlier = """
    UPDATE billing_periods SET end_day = ?2
    WHERE client_id = ?1 AND first_day < ?2 AND end_day > ?2
    """
  private static let findContaining = """
    SELECT * FROM billing_periods WHERE client_id = ?1 AND first_day <= ?2 AND end_day > ?2
    """
  private static let findLatest = """
    SELECT * FROM billing_periods WHERE client_id = ?1 ORDER BY first_day DESC LIMIT 1
    """
  private static func sumTokens(_ dialect: Dialect) -> String {
    """
    SELECT \(dialect.total("tokens_total")) FROM token_usage
    WHERE client_id = ?1 AND day >= ?2 AND day < ?3
    """
  }
  /// Rows that were billed in another currency count only if the plan is in dollars.
  private static func sumCost(_ dialect: Dialect) -> String {
    let cost = """
      CASE WHEN ?4 = 'USD' THEN cost_nano_usd WHEN currency = ?4 THEN cost_nano ELSE 0 END
      """
    return """
      SELECT \(dialect.total(cost)) FROM usage_daily
      WHERE client_id = ?1 AND day >= ?2 AND day < ?3
      """
  }
}
