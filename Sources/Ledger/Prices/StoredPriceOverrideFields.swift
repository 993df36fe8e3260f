internal import JSON
internal import Pricing
internal import Time

/// Writes and reads an override's fields with the names of `pricing_config`, in the order of its
/// columns.
extension StoredPriceOverride {
  func write(to fields: inout some FieldWriter) {
    fields.write("client_id", clientID)
    fields.write("number", number)
    fields.write("provider", provider)
    fields.write("model", model)
    fields.write("prices", pricesText)
    fields.write("created_at", createdAt.rfc3339)
  }

  init(from fields: some FieldReader) throws(LedgerError) {
    let clientID = try fields.requiredText("client_id", of: "a price override")
    let record = "a price override of client \(clientID)"
    self.init(
      clientID: clientID,
      number: try fields.required("number", of: record, fields.integer("number")),
      provider: try fields.requiredText("provider", of: record),
      model: try fields.requiredText("model", of: record),
      prices: try AgreedPrices(
        json: try fields.requiredText("prices", of: record), of: "prices of \(record)"),
      createdAt: try fields.requiredInstant("created_at", of: record))
  }

  private var pricesText: String {
    var writer = JSONWriter()
    writer.object { $0.members(of: prices) }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// The override in the audit log, as JSON.
  var auditObject: String {
    var writer = JSONWriter()
    writer.object { object in
      object.member("client_id", clientID)
      object.member("provider", provider)
      object.member("model", model)
      object.members(of: prices)
      object.member("price_version", label)
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
