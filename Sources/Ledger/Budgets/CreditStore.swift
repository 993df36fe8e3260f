internal import Budgets
internal import Money
internal import Time

/// Reads and writes `token_credits`: the clients' credits and their remainders.
struct CreditStore {
  private let connection: DatabaseConnection

  init(_ connection: DatabaseConnection) {
    self.connection = connection
  }

  /// Returns the credits with a larger ID, in the order of their IDs; with a nil `clientID`, of all
  /// clients.
  func all(
    of clientID: String?, after id: Int64 = 0, limit: Int64 = .max
  ) throws(LedgerError) -> [StoredCredit] {
    let select = try connection.prepare(CreditStore.selectCredits)
    select.bind(clientID, id, limit)
    return try read(select)
  }

  /// Returns the credits that have a remainder and haven't expired.
  func usable(at now: Timestamp) throws(LedgerError) -> [StoredCredit] {
    let select = try connection.prepare(CreditStore.selectUsable)
    select.bind(now.rfc3339)
    return try read(select)
  }

  private func read(_ select: Statement) throws(LedgerError) -> [StoredCredit] {
    try select.rows(passingOver: connection.unreadable, .isLeftOut, StoredCredit.init(from:))
  }

  /// Inserts a credit and returns it with its ID.
  func insert(_ credit: StoredCredit) throws(LedgerError) -> StoredCredit {
    let insert = try connection.prepare(CreditStore.insertCredit)
    var parameters = ParameterWriter(insert)
    credit.write(to: &parameters)
    guard let id = try insert.firstInteger() else {
      throw .unreadable(record: "a credit that was just inserted")
    }
    var recorded = credit
    recorded.id = id
    return recorded
  }

  private static let selectCredits = """
    SELECT * FROM token_credits WHERE (CAST(?1 AS TEXT) IS NULL OR client_id = ?1) AND id > ?2
    ORDER BY id LIMIT ?3
    """
  private static let selectUsable = """
    SELECT * FROM token_credits
    WHERE coalesce(tokens_remaining, cost_remaining_nano) > 0
      AND (expires_at IS NULL OR expires_at > ?1)
    ORDER BY id
    """
  /// The columns of `StoredCredit.write(to:)`, in its order.
  private static let insertCredit = """
    INSERT INTO token_credits (client_id, tokens_granted, tokens_remaining, cost_granted_nano,
      cost_remaining_nano, currency, expires_at, note, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id
    """
}
