internal import JSON

extension DeferredRequest {
  /// The fields under the names of `deferred_requests`, in the order of its columns.
  func write(to fields: inout some FieldWriter) {
    var text = JSONWriter()
    text.settlement(expected, withPriceRecord: false) { settlement in
      if usesOwnKey { settlement.member("own_key", true) }
      if let completionWindow { settlement.member("completion_window", completionWindow) }
    }
    fields.write("request_id", requestID.description)
    fields.write("provider", provider)
    fields.write("object_id", objectID)
    fields.write("kind", kind.rawValue)
    fields.write("expected", String(decoding: text.bytes, as: UTF8.self))
    fields.write("priced_model", pricedModel)
    fields.write("service_tier", serviceTier)
    fields.write("image_model", imageModel)
    progress.write(to: &fields)
  }

  init(from fields: some FieldReader, _ settlements: SettlementReader) throws(LedgerError) {
    let id = try fields.requiredText("request_id", of: "a deferred request")
    let record = "deferred request \(id)"
    kind = try fields.required(
      "kind", of: record, Kind(rawValue: try fields.requiredText("kind", of: record)))
    objectID = try fields.requiredText("object_id", of: record)
    let text = try settlements.read(try fields.requiredText("expected", of: record))
    expected = try settlements.settlement(from: text)
    usesOwnKey = text["own_key"]?.boolean ?? false
    completionWindow = text["completion_window"]?.string
    pricedModel = fields.text("priced_model")
    serviceTier = fields.text("service_tier")
    imageModel = fields.text("image_model")
    progress = Progress(from: fields)
  }
}

extension DeferredRequest.Progress {
  func write(to fields: inout some FieldWriter) {
    fields.write("settled_lines", settledLines)
    fields.write("held_tokens", heldTokens)
    fields.write("held_nano_usd", heldNanoUSD)
  }

  init(from fields: some FieldReader) {
    self.init(
      settledLines: fields.integer("settled_lines") ?? 0,
      heldTokens: fields.integer("held_tokens") ?? 0,
      heldNanoUSD: fields.integer("held_nano_usd") ?? 0)
  }
}

extension JSONWriter {
  /// What `SettlementReader.deferredSettlement` reads.
  mutating func deferredSettlement(_ settlement: DeferredSettlement) {
    object { text in
      text.member("request_id", settlement.requestID.description)
      if let progress = settlement.progress {
        text.member("progress") { object in object.record { progress.write(to: &$0) } }
      }
      text.member("rows") { rows in
        rows.array { elements in
          for row in settlement.rows { elements.settlement(row, withPriceRecord: true) }
        }
      }
    }
  }
}

extension SettlementReader {
  func deferredSettlement(from json: JSONValue) throws(LedgerError) -> DeferredSettlement {
    let members = ObjectReader(json)
    return DeferredSettlement(
      of: try members.required(
        "request_id", of: "a deferred settlement",
        members.text("request_id").flatMap { RequestID($0) }),
      rows: try elements(of: json["rows"], settlement(from:)),
      progress: json["progress"].map { DeferredRequest.Progress(from: ObjectReader($0)) })
  }
}
