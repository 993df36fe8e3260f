internal import Money
internal import Pricing

/// `budget_accounts`: the counter of each budget, subject and window, summed in memory and
/// written once a commit.
///
/// A row names the counters it was charged to in `usage_logs.budget_accounts`, separated by
/// commas, so that every counter can be recomputed: `ID` where the charge is the row's own tokens
/// and cost, `ID:TOKENS:COST_NANO` where it is not (a budget in a third currency).
final class BudgetAccountStore {
  private struct Sum {
    var tokens: Int64 = 0
    var costNano: Int64 = 0
  }

  private let insert: Statement
  private let find: Statement
  private let add: Statement
  /// Ids of counters known to be in the table; forgotten as a whole when there are many.
  private var ids: [BudgetAccountKey: Int64] = [:]
  private var sums: [Int64: Sum] = [:]

  static let largestKnownCount = 100_000

  init(_ connection: Connection) throws(LedgerError) {
    insert = try connection.prepare(BudgetAccountStore.insertAccount)
    find = try connection.prepare(BudgetAccountStore.findAccount)
    add = try connection.prepare(BudgetAccountStore.addSums)
  }

  /// The text for `usage_logs.budget_accounts`. Makes counters that don't exist yet, at zero.
  func describe(_ charges: [BudgetCharge], of row: UsageRow) throws(LedgerError) -> String {
    var text = ""
    for charge in charges {
      if !text.isEmpty { text.append(",") }
      text.append(String(try id(of: charge.account)))
      if !row.explains(charge) { text.append(":\(charge.tokens):\(charge.costNano)") }
    }
    return text
  }

  func add(_ charges: [BudgetCharge]) throws(LedgerError) {
    for charge in charges {
      let id = try id(of: charge.account)
      var sum = sums[id] ?? Sum()
      sum.tokens = sum.tokens.addingSaturated(charge.tokens)
      sum.costNano = sum.costNano.addingSaturated(charge.costNano)
      sums[id] = sum
    }
  }

  private func id(of key: BudgetAccountKey) throws(LedgerError) -> Int64 {
    if let id = ids[key] { return id }
    var parameters = ParameterWriter(insert)
    key.write(to: &parameters)
    try insert.run()
    parameters = ParameterWriter(find)
    key.write(to: &parameters)
    guard let id = try find.firstInteger() else {
      throw .unreadable(record: "a budget account that was just inserted")
    }
    if ids.count >= BudgetAccountStore.largestKnownCount { ids.removeAll() }
    ids[key] = id
    return id
  }

  /// Writes what was added since the last time.
  func flush() throws(LedgerError) {
    for (id, sum) in sums {
      add.bind(sum.tokens, at: 1)
      add.bind(sum.costNano, at: 2)
      add.bind(id, at: 3)
      try add.run()
    }
    sums.removeAll(keepingCapacity: true)
  }

  /// What a transaction that failed inserted is not there.
  func didRollBack() {
    ids.removeAll()
    sums.removeAll()
  }

  /// The columns are those of `BudgetAccountKey.write(to:)`, in its order.
  private static let insertAccount = """
    INSERT INTO budget_accounts
      (budget_id, subject, period, window_start, window_end, currency, tokens, cost_nano)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, 0)
    ON CONFLICT DO NOTHING
    """
  private static let findAccount = """
    SELECT id FROM budget_accounts
    WHERE budget_id = ?1 AND subject = ?2 AND period = ?3 AND window_start = ?4 AND currency = ?6
    """
  /// Sums stop at the largest integer, which SQLite would leave for a floating number.
  private static let addSums = """
    UPDATE budget_accounts SET
      tokens = min(9223372036854775807, tokens + ?1),
      cost_nano = min(9223372036854775807, cost_nano + ?2)
    WHERE id = ?3
    """
}

extension UsageRow {
  /// Whether a charge is the row's own tokens, and its own cost in the charge's currency.
  fileprivate func explains(_ charge: BudgetCharge) -> Bool {
    charge.tokens == usage.totalTokens && charge.costNano == costNano(in: charge.account.currency)
  }

  /// The row's cost in one of the two currencies it is recorded in.
  func costNano(in currency: Currency) -> Int64? {
    if currency == cost.currency { return cost.nanoUnits }
    return currency == .usd ? costNanoUSD : nil
  }
}
