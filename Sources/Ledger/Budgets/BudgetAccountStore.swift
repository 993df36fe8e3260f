internal import Budgets
internal import Money
internal import Pricing
internal import Time

/// Reads and writes `budget_accounts`: the counter of each budget, subject and window. Charges are
/// summed in memory and written once a commit.
///
/// A row names its counters in `usage_logs.budget_accounts`, separated by commas, so that every
/// counter can be recomputed. A counter is `ID` if the charge equals the row's own tokens and cost,
/// and `ID:TOKENS:COST_NANO` otherwise (a budget in a third currency).
final class BudgetAccountStore {
  private struct Sum {
    var tokens: Int64 = 0
    var costNano: Int64 = 0
    /// The tokens that credits have paid for.
    var paidByCredits: Int64 = 0
    /// The part that this replica's lease pays, as far as it covers.
    var leased = Spend.zero
    /// The part that the offline reserve pays.
    var reserved = Spend.zero
  }

  private let insert: Statement
  private let find: Statement
  private let add: Statement
  private let readKey: Statement
  /// The IDs of counters that are known to be in the table. Cleared as a whole when there are many.
  private var ids: [BudgetAccountKey: Int64] = [:]
  /// The last counter that was looked up, which is usually the next one too.
  private var latest: (key: BudgetAccountKey, id: Int64)?
  private var sums: [Int64: Sum] = [:]

  static let largestKnownCount = 100_000

  /// - Parameter isShared: Whether replicas lease the remainder of limits.
  init(_ connection: DatabaseConnection, isShared: Bool = false) throws(LedgerError) {
    insert = try connection.prepare(BudgetAccountStore.insertAccount)
    find = try connection.prepare(BudgetAccountStore.findAccount)
    readKey = try connection.prepare("SELECT * FROM budget_accounts WHERE id = ?")
    add = try connection.prepare(BudgetAccountStore.addSums(connection.dialect, isShared: isShared))
  }

  /// Returns the text for `usage_logs.budget_accounts`. Creates missing counters at zero.
  func describe(_ charges: [BudgetCharge], of row: UsageRow) throws(LedgerError) -> String {
    var text = ""
    for charge in charges {
      if !text.isEmpty { text.append(",") }
      text.append(String(try id(of: charge.account)))
      if !row.explains(charge) { text.append(":\(charge.tokens):\(charge.costNano)") }
    }
    return text
  }

  /// - Parameter tokens: The request's tokens that credits have paid for, beyond its plan.
  func add(_ charges: [BudgetCharge], paidByCredits tokens: Int64) throws(LedgerError) {
    for charge in charges {
      let id = try id(of: charge.account)
      var sum = sums[id] ?? Sum()
      if charge.account.budgetID.isPlan {
        sum.paidByCredits = sum.paidByCredits.addingSaturated(tokens)
      }
      sum.tokens = sum.tokens.addingSaturated(charge.tokens)
      sum.costNano = sum.costNano.addingSaturated(charge.costNano)
      sum.leased = sum.leased.adding(charge.takenOffLease)
      sum.reserved = sum.reserved.adding(charge.takenOffReserve)
      sums[id] = sum
    }
  }

  /// Subtracts the charge of a replaced row from a counter.
  func remove(tokens: Int64, costNano: Int64, paidByCredits: Int64, from account: Int64) {
    var sum = sums[account] ?? Sum()
    sum.tokens = sum.tokens.subtractingSaturated(tokens)
    sum.costNano = sum.costNano.subtractingSaturated(costNano)
    sum.paidByCredits = sum.paidByCredits.subtractingSaturated(paidByCredits)
    sums[account] = sum
  }

  /// Returns the key of a counter; nil if it doesn't exist.
  func key(of account: Int64) throws(LedgerError) -> BudgetAccountKey? {
    readKey.bind(account, at: 1)
    return try readKey.firstRow(BudgetAccountKey.init(from:))
  }

  /// Returns the ID of a counter; creates a missing one at zero.
  func id(of key: BudgetAccountKey) throws(LedgerError) -> Int64 {
    if let latest, latest.key == key { return latest.id }
    if let id = ids[key] {
      latest = (key, id)
      return id
    }
    var parameters = ParameterWriter(insert)
    key.write(to: &parameters)
    try insert.run()
    find.bind(key.budgetID.description, at: 1)
    find.bind(key.subject, at: 2)
    find.bind(key.period, at: 3)
    find.bind(key.windowStart.rfc3339, at: 4)
    find.bind(key.currency.code, at: 5)
    guard let id = try find.firstInteger() else {
      throw .unreadable(record: "a budget account that was just inserted")
    }
    if ids.count >= BudgetAccountStore.largestKnownCount { ids.removeAll() }
    ids[key] = id
    return id
  }

  /// Writes the charges since the last call, in an order that all servers share, to avoid
  /// deadlocks.
  ///
  /// - Parameter shared: The leases and the reserve that pay for charges; nil if limits aren't
  ///   shared.
  func flush(paidBy shared: ReplicaStores? = nil) throws(LedgerError) {
    for (id, sum) in sums.sorted(by: { $0.key < $1.key }) {
      add.bind(sum.tokens, at: 1)
      add.bind(sum.costNano, at: 2)
      add.bind(id, at: 3)
      add.bind(sum.paidByCredits, at: 4)
      if let shared {
        let paid = try shared.leases.pay(sum.leased, source: id)
          .adding(try shared.reserve?.pay(sum.reserved, source: id) ?? .zero)
        add.bind(paid.tokens, at: 5)
        add.bind(paid.nanoUnits, at: 6)
      }
      try add.run()
    }
    sums.removeAll(keepingCapacity: true)
  }

  /// Forgets the IDs, because counters of a failed transaction don't exist.
  func didRollBack() {
    ids.removeAll()
    latest = nil
    sums.removeAll()
  }

  /// The columns of `BudgetAccountKey.write(to:)`, in its order.
  private static let insertAccount = """
    INSERT INTO budget_accounts
      (budget_id, subject, period, window_start, window_end, currency, tokens, cost_nano)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, 0)
    ON CONFLICT DO NOTHING
    """
  private static let findAccount = """
    SELECT id FROM budget_accounts
    WHERE budget_id = ?1 AND subject = ?2 AND period = ?3 AND window_start = ?4 AND currency = ?5
    """
  private static func addSums(_ dialect: Dialect, isShared: Bool) -> String {
    let payments =
      isShared ? ", leased_tokens = leased_tokens - ?5, leased_nano = leased_nano - ?6" : ""
    return """
      UPDATE budget_accounts SET
        tokens = \(dialect.saturatingSum("tokens", "?1")),
        cost_nano = \(dialect.saturatingSum("cost_nano", "?2")),
        paid_by_credits = \(dialect.saturatingSum("paid_by_credits", "?4"))\(payments)
      WHERE id = ?3
      """
  }
}

extension UsageRow {
  /// Whether a charge equals the row's own tokens, and its own cost in the charge's currency.
  fileprivate func explains(_ charge: BudgetCharge) -> Bool {
    charge.tokens == usage.totalTokens && charge.costNano == costNano(in: charge.account.currency)
  }

  /// Returns the row's cost in one of its two recorded currencies; nil for any other currency.
  func costNano(in currency: Currency) -> Int64? {
    if currency == cost.currency { return cost.nanoUnits }
    return currency == .usd ? costNanoUSD : nil
  }
}

extension BudgetAccountKey {
  /// Creates the key of the counter for an account of the budget state.
  init(_ key: AccountKey) {
    self.init(
      budgetID: key.budget, subject: key.subject.description, period: key.period,
      windowStart: key.window.start, windowEnd: key.window.end, currency: key.currency)
  }

  /// The account that the counter belongs to; nil if the subject's kind is unknown.
  var accountKey: AccountKey? {
    guard let subject = Subject(text: subject) else { return nil }
    return AccountKey(
      budget: budgetID, subject: subject, period: period,
      window: BudgetWindow(start: windowStart, end: windowEnd), currency: currency)
  }
}
