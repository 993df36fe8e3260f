internal import Money
internal import Pricing

extension LedgerReader {
  /// Returns the differences between the clients' charges and their rows.
  func billingDifferences(_ rows: AuditedRows) throws(LedgerError) -> [AuditDifference] {
    try chargesBeforeTheirUse(rows) + chargesOfOtherRequests(rows) + chargesOfOtherAmounts()
      + blocksWithoutCharges(rows)
  }

  /// Returns the charges for blocks that the period's use doesn't reach.
  private func chargesBeforeTheirUse(
    _ rows: AuditedRows
  ) throws(LedgerError) -> [AuditDifference] {
    try differences(rows.read(by: unbegunBlocks(since: rows.firstDay))) { select in
      (
        "charged above \(select.integer(3) ?? 0)", "\(select.integer(4) ?? 0) used"
      )
    }
  }

  /// Returns the charges whose request didn't pass the tier's lower end, or whose total differs
  /// from the total at that request.
  private func chargesOfOtherRequests(
    _ rows: AuditedRows
  ) throws(LedgerError) -> [AuditDifference] {
    try differences(rows.read(by: misplacedCharges(since: rows.firstDay))) { select in
      (
        "\(select.integer(3) ?? 0) tokens at \(select.text(4) ?? "")",
        select.integer(5).map { "\($0) tokens there" } ?? "no such request in the period"
      )
    }
  }

  /// Returns the charges whose tier or amount differs from the terms under which they were made.
  ///
  /// A charge that was made before its period's last change of terms can't be compared.
  private func chargesOfOtherAmounts() throws(LedgerError) -> [AuditDifference] {
    let select = try connection.prepare(LedgerReader.chargesUnderTerms)
    let fields = ColumnReader(statement: select)
    var differences: [AuditDifference] = []
    try select.forEachRow { () throws(LedgerError) in
      let period = try BillingPeriod.table.read(fields)
      let block = fields.integer("charged_block") ?? 0
      let money = block == 0 ? period.billing.fixedFee : period.billing.overage?.charge
      let recorded =
        "\(fields.integer("amount_charged") ?? 0) \(fields.text("charged_currency") ?? "") "
        + "for \(fields.text("billing_tier") ?? "")"
      let recomputed = money.flatMap { money in
        money.minorUnits.map {
          "\($0) \(money.currency.code) for \(period.billing.tier(ofBlock: block))"
        }
      }
      guard recorded != recomputed else { return }
      differences.append(
        AuditDifference(
          check: .charge, subject: "\(period.clientID) \(period.name) block \(block)",
          recorded: recorded, recomputed: recomputed ?? "nothing"))
    }
    return differences
  }

  private func differences(
    _ sql: String, _ describe: (Statement) -> (recorded: String, recomputed: String)
  ) throws(LedgerError) -> [AuditDifference] {
    let select = try connection.prepare(sql)
    var differences: [AuditDifference] = []
    try select.forEachRow {
      let (recorded, recomputed) = describe(select)
      differences.append(
        AuditDifference(
          check: .charge,
          subject: "\(select.text(0) ?? "") \(select.text(1) ?? "") "
            + "block \(select.integer(2) ?? 0)",
          recorded: recorded, recomputed: recomputed))
    }
    return differences
  }

  /// Returns the fixed fees and blocks, on the periods' last terms, that were never charged.
  private func blocksWithoutCharges(
    _ rows: AuditedRows
  ) throws(LedgerError) -> [AuditDifference] {
    let select = try connection.prepare(
      rows.read(by: periodsWithUse(since: rows.firstDay)))
    var differences: [AuditDifference] = []
    let fields = ColumnReader(statement: select)
    try select.forEachRow { () throws(LedgerError) in
      let period = try BillingPeriod.table.read(fields)
      let begun = period.billing.blocks(begunAt: fields.integer("used") ?? 0)
      let highest = fields.integer("highest") ?? 0
      let charged = fields.integer("charged") ?? 0
      let blocks = max(min(begun, Biller.largestBlock), highest)
      if charged != blocks {
        differences.append(
          AuditDifference(
            check: .charge, subject: "\(period.clientID) \(period.name)",
            recorded: "\(charged) blocks charged", recomputed: "\(blocks) blocks begun"))
      }
      if period.billing.fixedFee.nanoUnits > 0, fields.integer("fees") != 1 {
        differences.append(
          AuditDifference(
            check: .charge, subject: "\(period.clientID) \(period.name) block 0",
            recorded: "no fixed fee", recomputed: period.billing.fixedFee.decimalText))
      }
    }
    return differences
  }

  /// The amount that a row adds to its period's measured use.
  private static let measured = """
    CASE WHEN p.measure = 'tokens' THEN u.total_tokens WHEN p.currency = 'USD' THEN u.cost_nano_usd
      WHEN p.currency = u.currency THEN u.cost_nano ELSE 0 END
    """
  /// Selects all rows of all periods, each with the period's use including it.
  private var running: String {
    let (dialect, measured) = (connection.dialect, LedgerReader.measured)
    return """
      WITH running AS (
        SELECT p.client_id, p.period, u.request_id,
          \(dialect.total("u.total_tokens", over: "counted")) AS tokens,
          \(dialect.total(measured, over: "counted")) AS used, \(measured) AS own
        FROM billing_periods AS p JOIN usage_logs AS u
          ON u.client_id = p.client_id AND u.day >= p.first_day AND u.day < p.end_day
        WINDOW counted AS (PARTITION BY p.client_id, p.period ORDER BY u.id)
      )
      """
  }
  /// Charges that were made while the period counted from another day can't be compared.
  private static let comparable = """
    token_billing_charges AS c JOIN billing_periods AS p
      ON p.client_id = c.client_id AND p.period = c.period AND p.first_day = c.counted_from
    """
  private static let chargesUnderTerms = """
    SELECT p.*, c.block AS charged_block, c.amount_charged, c.currency AS charged_currency,
      c.billing_tier
    FROM token_billing_charges AS c JOIN billing_periods AS p
      ON p.client_id = c.client_id AND p.period = c.period AND c.id > p.charges_before
    ORDER BY c.id
    """
  private func unbegunBlocks(since day: String) -> String {
    """
    \(running)
    SELECT client_id, period, block, used_above, used FROM (
      SELECT c.client_id, c.period, c.block, c.used_above,
        (SELECT coalesce(max(r.used), 0) FROM running AS r
          WHERE r.client_id = c.client_id AND r.period = c.period) AS used
      FROM \(LedgerReader.comparable) WHERE c.block > 0 AND p.first_day >= '\(day)') AS charged
    WHERE used <= used_above ORDER BY 1, 2, 3
    """
  }
  private func misplacedCharges(since day: String) -> String {
    """
    \(running)
    SELECT c.client_id, c.period, c.block, c.tokens_total, c.request_id, r.tokens
    FROM \(LedgerReader.comparable) LEFT JOIN running AS r
      ON r.client_id = c.client_id AND r.period = c.period AND r.request_id = c.request_id
    WHERE c.block > 0 AND c.request_id IS NOT NULL AND p.first_day >= '\(day)'
      AND (r.tokens IS DISTINCT FROM c.tokens_total OR r.used <= c.used_above
        OR r.used - r.own > c.used_above)
    ORDER BY 1, 2, 3
    """
  }
  private func periodsWithUse(since day: String) -> String {
    """
    SELECT p.*,
      (SELECT \(connection.dialect.total(LedgerReader.measured)) FROM usage_logs AS u
        WHERE u.client_id = p.client_id AND u.day >= p.first_day AND u.day < p.end_day) AS used,
      (SELECT max(block) FROM token_billing_charges AS c
        WHERE c.client_id = p.client_id AND c.period = p.period) AS highest,
      (SELECT count(*) FROM token_billing_charges AS c
        WHERE c.client_id = p.client_id AND c.period = p.period AND block > 0) AS charged,
      (SELECT count(*) FROM token_billing_charges AS c
        WHERE c.client_id = p.client_id AND c.period = p.period AND block = 0) AS fees
    FROM billing_periods AS p WHERE p.first_day >= '\(day)' ORDER BY 1, 2
    """
  }
}
