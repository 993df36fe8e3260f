internal import JSON
internal import Money
internal import Pricing
internal import Time

/// Writes and reads a plan's fields with the names of `plans`, in the order of its columns.
extension StoredPlan {
  func write(to fields: inout some FieldWriter) {
    fields.write("name", name)
    fields.write("display_name", displayName)
    fields.write("monthly_tokens", monthlyTokens)
    fields.write("monthly_conversations", monthlyConversations)
    PlanBilling.write(billing, to: &fields)
    fields.write("markup", markup?.description)
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
      billing: try PlanBilling(from: fields, of: record),
      markup: try fields.markup(of: record),
      createdAt: try fields.requiredInstant("created_at", of: record),
      updatedAt: try fields.requiredInstant("updated_at", of: record))
  }

  /// The plan in the audit log, as JSON.
  var auditObject: String {
    var writer = JSONWriter()
    writer.object { object in
      object.member("name", name)
      object.member("display_name", displayName)
      object.member("monthly_tokens") { $0.optional(monthlyTokens) }
      object.member("monthly_conversations") { $0.optional(monthlyConversations) }
      object.member("billing") { member in
        guard let billing else { return member.null() }
        member.object { billing.writeMembers(to: &$0) }
      }
      object.member("markup", markup?.description)
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
