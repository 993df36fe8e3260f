internal import JSON
internal import Money
internal import Time

/// A plan's fields under the names of `plans`, in the order of its columns.
extension StoredPlan {
  func write(to fields: inout some FieldWriter) {
    fields.write("name", name)
    fields.write("display_name", displayName)
    fields.write("monthly_tokens", monthlyTokens)
    fields.write("monthly_conversations", monthlyConversations)
    fields.write("currency", billing?.fixedFee.currency.code)
    fields.write("fixed_fee_nano", billing?.fixedFee.nanoUnits)
    fields.write("included_tokens", billing?.includedTokens)
    fields.write("overage_tokens", billing?.overage?.everyTokens)
    fields.write("overage_charge_nano", billing?.overage?.charge.nanoUnits)
    fields.write("created_at", createdAt.rfc3339)
    fields.write("updated_at", updatedAt.rfc3339)
  }

  init(from fields: some FieldReader) throws(LedgerError) {
    let name = try fields.requiredText("name", of: "a plan")
    let record = "plan \(name)"
    self.init(
      name: name, displayName: try fields.requiredText("display_name", of: record),
      monthlyTokens: fields.integer("monthly_tokens"),
      monthlyConversations: fields.integer("monthly_conversations"),
      billing: try StoredPlan.billing(fields, of: record),
      createdAt: try fields.requiredInstant("created_at", of: record),
      updatedAt: try fields.requiredInstant("updated_at", of: record))
  }

  private static func billing(
    _ fields: some FieldReader, of record: String
  ) throws(LedgerError) -> Billing? {
    guard let code = fields.text("currency") else { return nil }
    let currency = try fields.required("currency", of: record, Currency(code))
    func money(_ name: String) throws(LedgerError) -> Money {
      Money(
        nanoUnits: try fields.required(name, of: record, fields.integer(name)),
        currency: currency)
    }
    let overage = try fields.integer("overage_tokens").map { every throws(LedgerError) in
      Overage(everyTokens: every, charge: try money("overage_charge_nano"))
    }
    return Billing(
      fixedFee: try money("fixed_fee_nano"),
      includedTokens: fields.integer("included_tokens") ?? 0, overage: overage)
  }

  /// What the audit log says of it.
  var auditObject: String {
    var writer = JSONWriter()
    writer.object { object in
      object.member("name", name)
      object.member("display_name", displayName)
      object.member("monthly_tokens") { $0.optional(monthlyTokens) }
      object.member("monthly_conversations") { $0.optional(monthlyConversations) }
      object.key("billing")
      guard let billing else { return object.null() }
      object.object { object in
        object.member("currency", billing.fixedFee.currency.code)
        object.member("fixed_fee", billing.fixedFee.decimalText)
        object.member("included_tokens", billing.includedTokens)
        object.member("every_tokens") { $0.optional(billing.overage?.everyTokens) }
        object.member("charge", billing.overage?.charge.decimalText)
      }
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
