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

extension StoredCredit: TableRecord {
  static let table = RecordTable<StoredCredit>(
    "token_credits", key: ["id"], ifUnreadable: .isLeftOut,
    blank: StoredCredit(
      clientID: "", granted: .tokens(0), createdAt: Timestamp(milliseconds: 0)),
    title: { "credit \($0.id)" },
    columns: [
      .assigned("id", \.id),
      RecordColumn("client_id", \.clientID),
      amounts,
      RecordColumn("expires_at", \.expiresAt),
      RecordColumn("note", \.note),
      RecordColumn("created_at", \.createdAt),
    ])

  private static let amounts = RecordColumn<StoredCredit> { credit, fields in
    fields.write("tokens_granted", credit.granted.tokens)
    fields.write("tokens_remaining", credit.remaining.tokens)
    fields.write("cost_granted_nano", credit.granted.money?.nanoUnits)
    fields.write("cost_remaining_nano", credit.remaining.money?.nanoUnits)
    fields.write("currency", credit.granted.money?.currency.code)
  } read: { credit, fields throws(UnreadableColumn) in
    func amount(_ part: String) throws(UnreadableColumn) -> Credit.Amount {
      if let tokens = fields.integer("tokens_\(part)") { return .tokens(tokens) }
      return .money(
        Money(
          nanoUnits: try fields.value("cost_\(part)_nano"),
          currency: try fields.value("currency")))
    }
    credit.granted = try amount("granted")
    credit.remaining = try amount("remaining")
  }
}

extension StoredCredit: AuditedRecord {
  var auditTarget: String { "credit:\(name)" }
  var auditedClient: String? { clientID }

  func writeAudited(to object: inout JSONWriter) {
    object.member("id", name)
    object.member("tokens") { $0.optional(granted.tokens) }
    object.member("cost", granted.money?.decimalText)
    object.member("currency", granted.money?.currency.code)
    object.member("expires_at", expiresAt?.rfc3339)
    object.member("note", note)
  }
}

extension LedgerReader {
  /// Returns the credits with a larger ID, in the order of their IDs; with a nil client, of all
  /// clients.
  /// - Throws: `LedgerError` if the database can't be read.
  public func credits(
    ofClient clientID: String?, after id: Int64 = 0, limit: Int = .max
  ) throws(LedgerError) -> [StoredCredit] {
    let select = try connection.prepare(
      """
      SELECT * FROM token_credits
      WHERE (CAST(?1 AS TEXT) IS NULL OR client_id = ?1) AND id > ?2 ORDER BY id LIMIT ?3
      """)
    select.bind(clientID, id, limit)
    return try connection.read(select)
  }

  /// Returns the credits that can still be drawn on.
  /// - Throws: `LedgerError` if the database can't be read.
  public func usableCredits(at now: Timestamp) throws(LedgerError) -> [StoredCredit] {
    try connection.all(
      where: """
        coalesce(tokens_remaining, cost_remaining_nano) > 0
          AND (expires_at IS NULL OR expires_at > ?1)
        """, now.rfc3339)
  }
}

extension LedgerEditor {
  /// Gives a client a credit, and returns it with its ID.
  /// - Throws: `LedgerError` if the database can't be written.
  public func grant(_ credit: StoredCredit) throws(LedgerError) -> StoredCredit {
    try connection.edit { () throws(LedgerError) in
      let insert = try connection.prepareInsert(StoredCredit.table.insertion)
      StoredCredit.table.bind(credit, to: insert)
      guard let id = try insert.insertedID() else {
        throw .unreadable(record: "a credit that was just inserted")
      }
      var recorded = credit
      recorded.id = id
      try record("credit.create", before: nil, after: recorded)
      return recorded
    }
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
