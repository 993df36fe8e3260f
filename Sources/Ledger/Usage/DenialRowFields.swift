internal import Pricing
internal import Time

/// Writes and reads a denial's fields with the names of `denials`, in the order of its columns.
extension DenialRow {
  func write(to fields: inout some FieldWriter) {
    fields.write("request_id", requestID.description)
    fields.write("client_id", clientID)
    fields.write("key_name", keyName)
    fields.write("user_id", userID)
    fields.write("operation", operation.rawValue)
    fields.write("model", model)
    fields.write("budget_id", budgetID)
    fields.write("reason", reason.rawValue)
    fields.write("limit_value", limitValue)
    fields.write("used", used)
    fields.write("held", held)
    fields.write("requested", requested)
    fields.write("reset_at", resetAt?.rfc3339)
    fields.write("created_at", createdAt.rfc3339)
  }

  init(from fields: some FieldReader) throws(LedgerError) {
    let record = "a denial"
    func text(_ name: String) throws(LedgerError) -> String {
      try fields.requiredText(name, of: record)
    }
    self.init(
      requestID: try fields.required("request_id", of: record, RequestID(try text("request_id"))),
      clientID: try text("client_id"), keyName: try text("key_name"),
      userID: fields.text("user_id"),
      operation: try fields.required(
        "operation", of: record, Operation(rawValue: try text("operation"))),
      model: try text("model"), budgetID: fields.text("budget_id"),
      reason: try fields.required(
        "reason", of: record, DenialReason(rawValue: try text("reason"))),
      limitValue: fields.integer("limit_value") ?? 0, used: fields.integer("used") ?? 0,
      held: fields.integer("held") ?? 0, requested: fields.integer("requested") ?? 0,
      resetAt: fields.text("reset_at").flatMap { Timestamp(rfc3339: $0) },
      createdAt: try fields.required(
        "created_at", of: record, Timestamp(rfc3339: try text("created_at"))))
  }
}
