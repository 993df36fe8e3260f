internal import Budgets
internal import Money
internal import Time

/// Writes `credit_draws`: the draws of each request on credits. The changes of the credits'
/// remainders are summed in memory and written once a commit.
final class CreditDrawStore {
  private struct Sum {
    /// The drawn amount in the credit's unit; zero in the other unit.
    var drawn = Spend.zero
    /// The part that this replica's lease pays, as far as it covers.
    var leased = Spend.zero
  }

  private let insert: Statement
  private let remove: Statement
  private let subtract: Statement
  private var sums: [Int64: Sum] = [:]

  /// - Parameter isShared: Whether replicas lease the remainder of credits.
  init(_ connection: DatabaseConnection, isShared: Bool) throws(LedgerError) {
    insert = try connection.prepare(CreditDrawStore.insertDraw)
    remove = try connection.prepare(CreditDrawStore.removeDraws)
    subtract = try connection.prepare(CreditDrawStore.subtractSums(isShared: isShared))
  }

  /// Records the draws of a settled request on its client's credits.
  func draw(_ draws: [CreditDraw], by row: UsageRow) throws(LedgerError) {
    for draw in draws {
      insert.bind(row.requestID.description, at: 1)
      insert.bind(draw.credit, at: 2)
      insert.bind(row.clientID, at: 3)
      insert.bind(draw.tokens, at: 4)
      insert.bind(draw.cost?.nanoUnits, at: 5)
      insert.bind(row.createdAt.rfc3339, at: 6)
      try insert.run()
      let amount = CreditDrawStore.amount(tokens: draw.tokens, costNano: draw.cost?.nanoUnits)
      add(amount, to: \.drawn, of: draw.credit)
      if draw.isLeased { add(amount, to: \.leased, of: draw.credit) }
    }
  }

  /// Gives back the draws of a request whose row is replaced.
  ///
  /// - Returns: The tokens that credits had paid for.
  func undraw(by requestID: RequestID) throws(LedgerError) -> Int64 {
    remove.bind(requestID.description, at: 1)
    var paid: Int64 = 0
    try remove.forEachRow { () throws(LedgerError) in
      let tokens = remove.integer(1) ?? 0
      let amount = CreditDrawStore.amount(
        tokens: Int64(0).subtractingSaturated(tokens),
        costNano: remove.integer(2).map { Int64(0).subtractingSaturated($0) })
      add(amount, to: \.drawn, of: remove.integer(0) ?? 0)
      paid = paid.addingSaturated(tokens)
    }
    return paid
  }

  /// Returns the drawn amount; a credit in money counts only the cost.
  private static func amount(tokens: Int64, costNano: Int64?) -> Spend {
    costNano.map { Spend(tokens: 0, nanoUnits: $0) } ?? Spend(tokens: tokens, nanoUnits: 0)
  }

  private func add(_ amount: Spend, to figure: WritableKeyPath<Sum, Spend>, of credit: Int64) {
    var sum = sums[credit] ?? Sum()
    sum[keyPath: figure] = sum[keyPath: figure].adding(amount)
    sums[credit] = sum
  }

  /// Writes the draws since the last call, in an order that all servers share, to avoid deadlocks.
  ///
  /// - Parameter leases: The leases that pay for draws; nil if credits aren't shared.
  func flush(paidBy leases: LeaseStore?) throws(LedgerError) {
    for (credit, sum) in sums.sorted(by: { $0.key < $1.key }) {
      subtract.bind(sum.drawn.tokens, at: 1)
      subtract.bind(sum.drawn.nanoUnits, at: 2)
      subtract.bind(credit, at: 3)
      if let leases {
        let paid = try leases.pay(sum.leased, source: credit)
        subtract.bind(paid.tokens, at: 4)
        subtract.bind(paid.nanoUnits, at: 5)
      }
      try subtract.run()
    }
    sums.removeAll(keepingCapacity: true)
  }

  func didRollBack() {
    sums.removeAll()
  }

  private static let insertDraw = """
    INSERT INTO credit_draws (request_id, credit_id, client_id, tokens, cost_nano, created_at)
    VALUES (?, ?, ?, ?, ?, ?)
    """
  private static let removeDraws =
    "DELETE FROM credit_draws WHERE request_id = ? RETURNING credit_id, tokens, cost_nano"

  /// A column that isn't in the credit's unit is NULL, and stays NULL.
  private static func subtractSums(isShared: Bool) -> String {
    let payments =
      isShared ? ", leased_tokens = leased_tokens - ?4, leased_nano = leased_nano - ?5" : ""
    return """
      UPDATE token_credits SET tokens_remaining = tokens_remaining - ?1,
        cost_remaining_nano = cost_remaining_nano - ?2\(payments)
      WHERE id = ?3
      """
  }
}
