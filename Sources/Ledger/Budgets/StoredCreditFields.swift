internal import Budgets
internal import JSON
internal import Money
internal import Time

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
