internal import Budgets
internal import Money
internal import Time

/// `token_credits` and `credit_draws`: what clients were given, and which request drew what of it.
struct CreditStore {
  private let connection: Connection

  init(_ connection: Connection) {
    self.connection = connection
  }

  /// Those with a larger id, in the order of their ids; of all clients where `clientID` is nil.
  func all(
    of clientID: String?, after id: Int64 = 0, limit: Int64 = .max
  ) throws(LedgerError) -> [StoredCredit] {
    let select = try connection.prepare(CreditStore.selectCredits)
    select.bind(clientID, at: 1)
    select.bind(id, at: 2)
    select.bind(limit, at: 3)
    return try read(select)
  }

  /// Those that have something left and that can still be drawn from.
  func usable(at now: Timestamp) throws(LedgerError) -> [StoredCredit] {
    let select = try connection.prepare(CreditStore.selectUsable)
    select.bind(now.rfc3339, at: 1)
    return try read(select)
  }

  private func read(_ select: Statement) throws(LedgerError) -> [StoredCredit] {
    return try select.rows(StoredCredit.init(from:))
  }

  /// Returns it with its id.
  func insert(_ credit: StoredCredit) throws(LedgerError) -> StoredCredit {
    let insert = try connection.prepare(CreditStore.insertCredit)
    var parameters = ParameterWriter(insert)
    credit.write(to: &parameters)
    try insert.run()
    var recorded = credit
    recorded.id = connection.lastInsertedID
    return recorded
  }

  /// Takes what a settled request drew from its client's credits.
  func draw(_ draws: [CreditDraw], by row: UsageRow) throws(LedgerError) {
    guard !draws.isEmpty else { return }
    let insert = try connection.prepare(CreditStore.insertDraw)
    let subtract = try connection.prepare(CreditStore.subtractDraw)
    for draw in draws {
      insert.bind(row.requestID.description, at: 1)
      insert.bind(draw.credit, at: 2)
      insert.bind(row.clientID, at: 3)
      insert.bind(draw.tokens, at: 4)
      insert.bind(draw.cost?.nanoUnits, at: 5)
      insert.bind(row.createdAt.rfc3339, at: 6)
      try insert.run()
      subtract.bind(draw.tokens, at: 1)
      subtract.bind(draw.cost?.nanoUnits, at: 2)
      subtract.bind(draw.credit, at: 3)
      try subtract.run()
    }
  }

  private static let selectCredits = """
    SELECT * FROM token_credits WHERE (?1 IS NULL OR client_id = ?1) AND id > ?2
    ORDER BY id LIMIT ?3
    """
  private static let selectUsable = """
    SELECT * FROM token_credits
    WHERE coalesce(tokens_remaining, cost_remaining_nano) > 0
      AND (expires_at IS NULL OR expires_at > ?1)
    ORDER BY id
    """
  /// The columns are those of `StoredCredit.write(to:)`, in its order.
  private static let insertCredit = """
    INSERT INTO token_credits (client_id, tokens_granted, tokens_remaining, cost_granted_nano,
      cost_remaining_nano, currency, expires_at, note, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
  private static let insertDraw = """
    INSERT INTO credit_draws (request_id, credit_id, client_id, tokens, cost_nano, created_at)
    VALUES (?, ?, ?, ?, ?, ?)
    """
  /// What isn't counted in the credit's unit is NULL, and stays so.
  private static let subtractDraw = """
    UPDATE token_credits SET tokens_remaining = tokens_remaining - ?1,
      cost_remaining_nano = cost_remaining_nano - ?2
    WHERE id = ?3
    """
}
