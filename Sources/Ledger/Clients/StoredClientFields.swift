internal import Money
internal import Time

/// Writes and reads a client's fields with the names of `clients`, in the order of its columns.
extension StoredClient {
  func write(to fields: inout some FieldWriter) {
    fields.write("id", id)
    fields.write("name", name)
    fields.write("timezone", timeZone)
    fields.write("status", status.rawValue)
    fields.write("payment_customer_id", paymentCustomerID)
    fields.write("markup", markup?.description)
    fields.write("metadata", metadata)
    fields.write("created_at", createdAt.rfc3339)
    fields.write("updated_at", updatedAt.rfc3339)
  }

  init(from fields: some FieldReader) throws(LedgerError) {
    let id = try fields.requiredText("id", of: "a client")
    let record = "client \(id)"
    self.init(
      id: id, name: try fields.requiredText("name", of: record),
      timeZone: try fields.requiredText("timezone", of: record),
      status: try fields.required(
        "status", of: record, fields.text("status").flatMap { Status(rawValue: $0) }),
      paymentCustomerID: fields.text("payment_customer_id"),
      markup: try fields.markup(of: record),
      metadata: try fields.requiredText("metadata", of: record),
      createdAt: try fields.requiredInstant("created_at", of: record),
      updatedAt: try fields.requiredInstant("updated_at", of: record))
  }
}

extension FieldReader {
  /// Returns the field `markup`; nil if it is missing or NULL.
  func markup(of record: String) throws(LedgerError) -> Markup? {
    guard let text = text("markup") else { return nil }
    return try required("markup", of: record, Markup(text))
  }

  /// Returns nil if the field is missing, NULL, or not a time.
  func instant(_ name: String) -> Timestamp? {
    text(name).flatMap { Timestamp(rfc3339: $0) }
  }

  func requiredInstant(_ name: String, of record: String) throws(LedgerError) -> Timestamp {
    try required(name, of: record, instant(name))
  }
}
