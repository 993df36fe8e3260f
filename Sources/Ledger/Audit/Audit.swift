public import Pricing

internal import Budgets
internal import Money
internal import Time

/// A contradiction within the ledger.
public struct AuditDifference: Hashable, Sendable {
  public enum Check: String, Sendable, Hashable, CaseIterable {
    /// A column of `token_usage` differs from the sum over `usage_logs`.
    case tokenUsage = "token_usage"
    /// A column of a rollup differs from the sum over `usage_logs`.
    case rollup
    /// A column of `usage_totals` differs from the sum over the rows of `usage_logs` that it
    /// covers.
    case usageTotals = "usage_totals"
    /// A line of `conversations` differs from the conversation's first row in `usage_logs`.
    case conversation
    /// A counter of `budget_accounts` differs from the sum over the rows charged to it, or over its
    /// leases.
    case budgetAccount = "budget_account"
    /// A credit's remainder differs from its draws; or a credit was given or drawn on, and is
    /// missing.
    case credit
    /// A row can't be read, or its parts exceed their total.
    case unreadableRow = "unreadable_row"
    /// A request has more than one row.
    case duplicateRequest = "duplicate_request"
    /// A row has a cost, but its prices aren't stored.
    case missingPrices = "missing_prices"
    /// A row's cost, or its provider cost, differs from its usage at its prices.
    case cost
    /// A charge doesn't follow from its period's rows, or a charge that follows from them is
    /// missing.
    case charge
  }

  public var check: Check
  /// The subject, for example `acme 2026-11-22 tokens_input` or a request ID.
  public var subject: String
  public var recorded: String
  public var recomputed: String
}

/// Recomputes costs from a stored price record: the client's charge in nano USD and in nano-units
/// of the billing currency, and the provider's charge in nano USD. Returns nil if the record has no
/// price for the usage.
public typealias CostRecomputation = (
  _ priceRecord: String, _ usage: Usage
) -> (nanoUSD: Int64, nano: Int64, providerNanoUSD: Int64)?

extension LedgerReader {
  /// Recomputes every counter and cost from `usage_logs` and its detached months, in one snapshot.
  /// Figures that depend on `goneMonths` can't be recomputed and are left out.
  ///
  /// - Returns: The differences; empty if the ledger is consistent.
  /// - Throws: `LedgerError` if the database can't be read.
  public func audit(
    recomputing cost: CostRecomputation
  ) throws(LedgerError) -> [AuditDifference] {
    try connection.snapshot { () throws(LedgerError) in
      try connection.allowLongStatements()
      let rows = try AuditedRows(connection)
      var audit = Audit(rows)
      try audit.loadPrices(connection)
      try audit.loadAccounts(connection)
      try audit.loadDraws(connection)
      try audit.readRows(connection, cost)
      try audit.compareTokenUsage(connection)
      audit.compareBudgetAccounts()
      try audit.findDuplicates(connection)
      return try audit.differences + creditDifferences(rows) + conversationDifferences(rows)
        + rollupDifferences(rows) + usageTotalDifferences(rows) + billingDifferences(rows)
        + leaseDifferences() + conversationPermitDifferences(rows) + providerObjectDifferences()
    }
  }
}

/// One run of the audit.
private struct Audit {
  private let rows: AuditedRows
  private(set) var differences: [AuditDifference] = []
  private var prices: [String: String] = [:]
  private var accounts: [Int64: Account] = [:]
  /// Tokens that credits have paid for, by request ID.
  private var paidByCredits: [String: Int64] = [:]

  private struct Figures: Equatable {
    var tokens: Int64 = 0
    var costNano: Int64 = 0
    var paidByCredits: Int64 = 0

    func text(in currency: Currency) -> String {
      "\(tokens) tokens, \(costNano) nano \(currency.code)"
        + (paidByCredits == 0 ? "" : ", \(paidByCredits) tokens paid by credits")
    }
  }

  /// A counter, as recorded and as summed over the rows that name it.
  private struct Account {
    var key: BudgetAccountKey
    var recorded: Figures
    var recomputed = Figures()
  }

  init(_ rows: AuditedRows) {
    self.rows = rows
  }

  private mutating func note(
    _ check: AuditDifference.Check, _ subject: String, recorded: String, recomputed: String
  ) {
    differences.append(
      AuditDifference(
        check: check, subject: subject, recorded: recorded, recomputed: recomputed))
  }

  mutating func loadPrices(_ connection: DatabaseConnection) throws(LedgerError) {
    let select = try connection.prepare("SELECT version, record FROM price_versions")
    while try select.step() {
      if let version = select.text(0), let record = select.text(1) { prices[version] = record }
    }
  }

  mutating func readRows(
    _ connection: DatabaseConnection, _ cost: CostRecomputation
  ) throws(LedgerError) {
    let select = try connection.prepare(rows.read(by: "SELECT * FROM usage_logs"))
    let fields = ColumnReader(statement: select)
    while try select.step() {
      do {
        let row = try UsageRow(from: fields)
        addCharges(of: row, fields.text("budget_accounts") ?? "")
        compareCost(of: row, cost)
      } catch {
        note(
          .unreadableRow, fields.text("request_id") ?? "?", recorded: error.description,
          recomputed: "")
      }
    }
  }

  mutating func loadAccounts(_ connection: DatabaseConnection) throws(LedgerError) {
    let select = try connection.prepare("SELECT * FROM budget_accounts")
    let fields = ColumnReader(statement: select)
    while try select.step() {
      accounts[fields.integer("id") ?? 0] = Account(
        key: try BudgetAccountKey(from: fields),
        recorded: Figures(
          tokens: fields.integer("tokens") ?? 0, costNano: fields.integer("cost_nano") ?? 0,
          paidByCredits: fields.integer("paid_by_credits") ?? 0))
    }
  }

  mutating func loadDraws(_ connection: DatabaseConnection) throws(LedgerError) {
    let select = try connection.prepare(
      """
      SELECT request_id, \(connection.dialect.total("tokens")) FROM credit_draws
      GROUP BY request_id
      """)
    while try select.step() { paidByCredits[select.text(0) ?? ""] = select.integer(1) ?? 0 }
  }

  /// Reads the text of `BudgetAccountStore.describe`.
  private mutating func addCharges(of row: UsageRow, _ charges: String) {
    for text in charges.split(separator: ",") {
      guard let charge = RecordedCharge(text), var account = accounts[charge.account] else {
        note(
          .budgetAccount, row.requestID.description, recorded: "charged to \(text)",
          recomputed: "no such account")
        continue
      }
      let figures = charge.figures(of: row, in: account.key.currency)
      account.recomputed.tokens = account.recomputed.tokens.addingSaturated(figures.tokens)
      account.recomputed.costNano = account.recomputed.costNano.addingSaturated(figures.costNano)
      if account.key.budgetID.isPlan {
        account.recomputed.paidByCredits = account.recomputed.paidByCredits
          .addingSaturated(paidByCredits[row.requestID.description] ?? 0)
      }
      accounts[charge.account] = account
    }
  }

  private mutating func compareCost(of row: UsageRow, _ cost: CostRecomputation) {
    guard let version = row.priceVersion else {
      if row.costNanoUSD != 0 || row.cost.nanoUnits != 0 || row.providerCostNanoUSD != 0 {
        note(
          .missingPrices, row.requestID.description, recorded: "\(row.costNanoUSD) nano USD",
          recomputed: "no price version")
      }
      return
    }
    guard let record = prices[version] else {
      return note(
        .missingPrices, row.requestID.description, recorded: "price version \(version)",
        recomputed: "no record")
    }
    let recomputed = cost(record, row.usage)
    if let recomputed, recomputed.nanoUSD == row.costNanoUSD,
      recomputed.nano == row.cost.nanoUnits
    {
      compareProviderCost(of: row, recomputed.providerNanoUSD)
    } else if row.isChargedItsHold(insteadOf: recomputed?.nanoUSD) {
      compareProviderCost(
        of: row, Bill.markup(ofRecord: record).removed(from: row.costNanoUSD))
    } else {
      note(
        .cost, row.requestID.description,
        recorded:
          "\(row.costNanoUSD) nano USD, \(row.cost.nanoUnits) nano \(row.cost.currency.code)",
        recomputed: recomputed.map {
          "\($0.nanoUSD) nano USD, \($0.nano) nano \(row.cost.currency.code)"
        } ?? "the record has no price for this usage")
    }
  }

  private mutating func compareProviderCost(of row: UsageRow, _ recomputed: Int64) {
    guard row.providerCostNanoUSD != recomputed else { return }
    note(
      .cost, row.requestID.description,
      recorded: "\(row.providerCostNanoUSD) nano USD charged by the provider",
      recomputed: "\(recomputed) nano USD")
  }

  mutating func compareTokenUsage(_ connection: DatabaseConnection) throws(LedgerError) {
    let select = try connection.prepare(
      rows.read(by: Audit.tokenUsageDifferences(since: rows.firstDay, connection.dialect)))
    while try select.step() {
      note(
        .tokenUsage, select.text(0) ?? "", recorded: select.text(1) ?? "",
        recomputed: select.text(2) ?? "")
    }
  }

  mutating func compareBudgetAccounts() {
    for (_, account) in accounts.sorted(by: { $0.key < $1.key }) {
      let key = account.key
      guard account.recorded != account.recomputed,
        key.windowStart.rfc3339 >= rows.firstInstant
      else { continue }
      note(
        .budgetAccount, "\(key.budgetID) \(key.subject) \(key.windowStart.rfc3339)",
        recorded: account.recorded.text(in: key.currency),
        recomputed: account.recomputed.text(in: key.currency))
    }
  }

  mutating func findDuplicates(_ connection: DatabaseConnection) throws(LedgerError) {
    let select = try connection.prepare(rows.read(by: Audit.duplicates(connection.dialect)))
    while try select.step() {
      note(
        .duplicateRequest, select.text(0) ?? "", recorded: "\(select.integer(1) ?? 0) rows",
        recomputed: "1 row")
    }
  }

  /// Reads the table instead of the index that should prevent duplicates.
  private static func duplicates(_ dialect: Dialect) -> String {
    """
    SELECT request_id, count(*) FROM \(dialect.unindexed("usage_logs"))
    GROUP BY request_id HAVING count(*) > 1
    """
  }
  /// Returns one line for each figure that differs, including figures for which one side has no
  /// row. A conversation counts on the day of the row that began it in a month.
  private static func tokenUsageDifferences(since day: String, _ dialect: Dialect) -> String {
    let (recorded, recomputed) = (dialect.total("recorded"), dialect.total("recomputed"))
    return """
      WITH figures (client_id, day, name, recorded, recomputed) AS (
        SELECT client_id, day, 'tokens_input', tokens_input, 0 FROM token_usage
        UNION ALL SELECT client_id, day, 'tokens_output', tokens_output, 0 FROM token_usage
        UNION ALL SELECT client_id, day, 'tokens_total', tokens_total, 0 FROM token_usage
        UNION ALL SELECT client_id, day, 'api_calls_count', api_calls_count, 0 FROM token_usage
        UNION ALL SELECT client_id, day, 'cost_nano_usd', cost_nano_usd, 0 FROM token_usage
        UNION ALL SELECT client_id, day, 'conversations_count', conversations_count, 0
          FROM token_usage
        UNION ALL SELECT client_id, day, 'tokens_input', 0, prompt_tokens FROM usage_logs
        UNION ALL SELECT client_id, day, 'tokens_output', 0, completion_tokens FROM usage_logs
        UNION ALL SELECT client_id, day, 'tokens_total', 0, total_tokens FROM usage_logs
        UNION ALL SELECT client_id, day, 'api_calls_count', 0, 1 FROM usage_logs
        UNION ALL SELECT client_id, day, 'cost_nano_usd', 0, cost_nano_usd FROM usage_logs
        UNION ALL SELECT client_id, day, 'conversations_count', 0, begins_conversation
          FROM usage_logs
      )
      SELECT client_id || ' ' || day || ' ' || name,
        CAST(\(recorded) AS TEXT), CAST(\(recomputed) AS TEXT)
      FROM figures WHERE day >= '\(day)'
      GROUP BY client_id, day, name HAVING \(recorded) <> \(recomputed)
      ORDER BY client_id, day, name
      """
  }
}

extension UsageRow {
  /// Whether a row is charged its hold instead of the recomputed cost. An estimate is limited to
  /// its hold. Usage without prices, and work of unknown usage, are charged the whole hold: all its
  /// tokens and money.
  fileprivate func isChargedItsHold(insteadOf recomputedNanoUSD: Int64?) -> Bool {
    guard costNanoUSD == heldNanoUSD else { return false }
    guard let recomputedNanoUSD else { return true }
    return usageSource == .estimated
      && (recomputedNanoUSD > heldNanoUSD || usage.totalTokens == heldTokens)
  }
}
