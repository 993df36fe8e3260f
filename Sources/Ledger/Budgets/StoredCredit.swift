public import Budgets
internal import JSON
internal import Money
public import Time

/// Tokens or money that a client may use beside its plan, as `token_credits` records them.
public struct StoredCredit: Hashable, Sendable {
  /// Increases with each credit; 0 before the credit is recorded.
  public var id: Int64
  public var clientID: String
  public var granted: Credit.Amount
  /// The amount that settled requests have left, in the same unit.
  public var remaining: Credit.Amount
  /// The time of expiry; nil if the credit never expires.
  public var expiresAt: Timestamp?
  public var note: String?
  public var createdAt: Timestamp

  /// Creates a credit that hasn't been drawn on.
  public init(
    clientID: String, granted: Credit.Amount, expiresAt: Timestamp? = nil, note: String? = nil,
    createdAt: Timestamp
  ) {
    self.init(
      id: 0, clientID: clientID, granted: granted, remaining: granted, expiresAt: expiresAt,
      note: note, createdAt: createdAt)
  }

  init(
    id: Int64, clientID: String, granted: Credit.Amount, remaining: Credit.Amount,
    expiresAt: Timestamp?, note: String?, createdAt: Timestamp
  ) {
    self.id = id
    self.clientID = clientID
    self.granted = granted
    self.remaining = remaining
    self.expiresAt = expiresAt
    self.note = note
    self.createdAt = createdAt
  }

  /// The credit's name in the API: `crd_01`.
  public var name: String { StoredCredit.name(of: id) }

  static func name(of id: Int64) -> String { "crd_\(id < 10 ? "0" : "")\(id)" }

  /// The credit for the budget state.
  public var credit: Credit {
    Credit(
      id: id, client: clientID, granted: granted, remaining: remaining, expiresAt: expiresAt)
  }

  var key: CreditKey { CreditKey(id: id, client: clientID) }
}

/// Writes and reads a credit's fields with the names of `token_credits`, in the order of its
/// columns.
extension StoredCredit {
  func write(to fields: inout some FieldWriter) {
    fields.write("client_id", clientID)
    fields.write("tokens_granted", granted.tokens)
    fields.write("tokens_remaining", remaining.tokens)
    fields.write("cost_granted_nano", granted.money?.nanoUnits)
    fields.write("cost_remaining_nano", remaining.money?.nanoUnits)
    fields.write("currency", granted.money?.currency.code)
    fields.write("expires_at", expiresAt?.rfc3339)
    fields.write("note", note)
    fields.write("created_at", createdAt.rfc3339)
  }

  init(from fields: some FieldReader) throws(LedgerError) {
    let id = try fields.required("id", of: "a credit", fields.integer("id"))
    let record = "credit \(id)"
    func amount(_ part: String) throws(LedgerError) -> Credit.Amount {
      if let tokens = fields.integer("tokens_\(part)") { return .tokens(tokens) }
      let column = "cost_\(part)_nano"
      let currency = fields.text("currency").flatMap { Currency($0) }
      return .money(
        Money(
          nanoUnits: try fields.required(column, of: record, fields.integer(column)),
          currency: try fields.required("currency", of: record, currency)))
    }
    self.init(
      id: id, clientID: try fields.requiredText("client_id", of: record),
      granted: try amount("granted"), remaining: try amount("remaining"),
      expiresAt: fields.instant("expires_at"), note: fields.text("note"),
      createdAt: try fields.requiredInstant("created_at", of: record))
  }

  /// The credit in the audit log, as JSON.
  var auditObject: String {
    var writer = JSONWriter()
    writer.object { object in
      object.member("id", name)
      object.member("tokens") { $0.optional(granted.tokens) }
      object.member("cost", granted.money?.decimalText)
      object.member("currency", granted.money?.currency.code)
      object.member("expires_at", expiresAt?.rfc3339)
      object.member("note", note)
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

/// Writes and reads a request's draw on a credit, with the names of `credit_draws`.
extension CreditDraw {
  func write(to fields: inout some FieldWriter) {
    fields.write("credit_id", credit)
    fields.write("tokens", tokens)
    fields.write("cost_nano", cost?.nanoUnits)
    fields.write("currency", cost?.currency.code)
  }

  init(from fields: some FieldReader) throws(LedgerError) {
    let record = "a draw from a credit"
    let cost = fields.text("currency").flatMap { Currency($0) }.map { currency in
      Money(nanoUnits: fields.integer("cost_nano") ?? 0, currency: currency)
    }
    self.init(
      credit: try fields.required("credit_id", of: record, fields.integer("credit_id")),
      tokens: fields.integer("tokens") ?? 0, cost: cost)
  }
}

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
