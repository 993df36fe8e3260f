internal import JSON
internal import Objects
internal import Time

/// An object's fields under the names of `provider_objects`, in the order of its columns.
extension ProviderObject {
  func write(to fields: inout some FieldWriter) {
    fields.write("provider", provider)
    fields.write("object_id", objectID)
    fields.write("kind", kind.rawValue)
    fields.write("client_id", owner.text)
    fields.write("key_name", keyName)
    fields.write("created_at", createdAt.rfc3339)
    fields.write("deleted_at", deletedAt?.rfc3339)
  }

  init(from fields: some FieldReader) throws(LedgerError) {
    let id = try fields.requiredText("object_id", of: "an object")
    let record = "object \(id)"
    let deletedAt = fields.text("deleted_at")
    self.init(
      provider: try fields.requiredText("provider", of: record), objectID: id,
      kind: try fields.required(
        "kind", of: record, ObjectKind(rawValue: try fields.requiredText("kind", of: record))),
      owner: Owner(text: try fields.requiredText("client_id", of: record)),
      keyName: fields.text("key_name"),
      createdAt: try fields.requiredInstant("created_at", of: record),
      deletedAt: deletedAt == nil ? nil : try fields.requiredInstant("deleted_at", of: record))
  }
}

extension ProviderObject.Owner {
  private static let everybodyText = "*"

  /// As `client_id` has it.
  public var text: String {
    switch self {
    case .client(let id): id
    case .everybody: ProviderObject.Owner.everybodyText
    }
  }

  /// The owner that `text` names: all clients for `*`, which is no client's id.
  public init(text: String) {
    self = text == ProviderObject.Owner.everybodyText ? .everybody : .client(text)
  }
}

extension ObjectEnd {
  func write(to fields: inout some FieldWriter) {
    fields.write("provider", provider)
    fields.write("object_id", objectID)
    fields.write("deleted_at", at.rfc3339)
  }

  init(from fields: some FieldReader) throws(LedgerError) {
    let record = "the end of an object"
    provider = try fields.requiredText("provider", of: record)
    objectID = try fields.requiredText("object_id", of: record)
    at = try fields.requiredInstant("deleted_at", of: record)
  }
}

extension JSONWriter {
  /// Objects as an array, which `SettlementReader.providerObjects` reads.
  mutating func providerObjects(_ objects: [ProviderObject]) {
    array { elements in
      for object in objects { elements.record { object.write(to: &$0) } }
    }
  }
}

extension SettlementReader {
  func providerObjects(from json: JSONValue?) throws(LedgerError) -> [ProviderObject] {
    try elements(of: json) { object throws(LedgerError) in
      try ProviderObject(from: ObjectReader(object))
    }
  }
}
