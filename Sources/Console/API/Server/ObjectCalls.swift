internal import Configuration
internal import JSON
internal import Ledger
internal import Objects
internal import Time

/// `/api/admin/objects`: objects that providers keep, and the client that owns each.
enum ObjectCalls {
  private static let path = "/api/admin/objects"

  static var routes: [APIRoute] {
    [
      APIRoute(
        .get, path, .viewer, "Lists the objects at providers, deleted ones too",
        query: filters + QueryParameter.page, answers: .ok(.page(of: schema)), handler: list),
      APIRoute(
        .post, path, .admin, "Assigns an object to a client, or shares it with all clients",
        body: fields, answers: .createdOrReplaced(schema), handler: assign),
      APIRoute(
        .delete, path, .admin, "Removes the record of an object; no client owns it then",
        query: [
          QueryParameter("provider", "the provider's name"),
          QueryParameter("object_id", "the provider's ID of the object"),
        ], answers: .removed, handler: forget),
    ]
  }

  static let filters = [
    QueryParameter("client", "the owner's ID; * for shared objects"),
    QueryParameter("provider", "the provider's name"),
    QueryParameter("kind", "the kind of object", .choice(of: ObjectKind.self)),
    QueryParameter("object", "the ID of one object"),
  ]

  private static let fields: Fields = [
    "provider": .name,
    "object_id": .text(pattern: #"^[ -~]+$"#, longest: ProviderObject.longestID),
    "kind": .choice(of: ObjectKind.self),
    "client_id": .text(pattern: #"^(\*|[A-Za-z0-9][A-Za-z0-9._-]{0,62})$"#),
  ]

  private static let schema = JSONSchema.named(
    "Object",
    .object([
      "provider": .anyText, "object_id": .anyText, "kind": .choice(of: ObjectKind.self),
      "client_id": .anyText, "key_name": .anyText.orNull, "created_at": .instant,
      "deleted_at": .instant.orNull,
    ]))

  private static func list(_ call: Call) throws(APIError) -> Answer {
    try page(call, limit: try call.query.limit()).answer { write($0, to: &$1) }
  }

  /// The page of the list that the query names.
  static func page(_ call: Call, limit: Int) throws(APIError) -> Page<ProviderObject> {
    let query = call.query
    let filter = ObjectFilter(
      owner: try query.text("client").map { ProviderObject.Owner(text: $0) },
      provider: try query.text("provider"), kind: try query.choice("kind"),
      objectID: try query.text("object"))
    let cursor = try query.cursor { ObjectCursor($0) }
    let objects = try call.read { reader throws(LedgerError) in
      try reader.objects(filter, after: cursor, limit: limit + 1)
    }
    return Page(objects, limit: limit) { "\($0.cursor)" }
  }

  // MARK: Changing

  private static func assign(_ call: Call) async throws(APIError) -> Answer {
    let body = try call.body()
    let provider = try body.require("provider", try body.name("provider"))
    let id = try body.require("object_id", try body.text("object_id"))
    let kind: ObjectKind = try body.require("kind", try body.choice("kind"))
    let owner = try owner(in: body, call)
    let providers = call.settings.providers.map(\.name)
    guard providers.contains(provider) else {
      throw .invalidValue("provider", allowed: providers.joined(separator: ", "))
    }
    guard ProviderObject.isID(id) else {
      throw .invalidValue(
        "object_id", allowed: "1 to \(ProviderObject.longestID) printable characters of ASCII")
    }
    let object = ProviderObject(
      provider: provider, objectID: id, kind: kind, owner: owner, keyName: nil,
      createdAt: call.changedAt)
    let hadAnotherOwner = try await call.change { editor throws(LedgerError) in
      try editor.assign([object]).contains { $0.hadAnotherOwner }
    }
    let assigned = try call.read { reader throws(LedgerError) in
      try reader.owners(of: [id], provider: provider)[id]
    }
    return Answer(status: hadAnotherOwner ? 200 : 201) { write(assigned ?? object, to: &$0) }
  }

  /// The owner that the body names: a client, or all clients.
  private static func owner(
    in body: Body, _ call: Call
  ) throws(APIError) -> ProviderObject.Owner {
    let text = try body.require("client_id", try body.text("client_id"))
    if ProviderObject.Owner(text: text) == .everybody { return .everybody }
    let id = try body.require("client_id", try body.name("client_id"))
    return .client(try call.client(id).id)
  }

  private static func forget(_ call: Call) async throws(APIError) -> Answer {
    guard let provider = try call.query.text("provider") else { throw .missingField("provider") }
    guard let id = try call.query.text("object_id") else { throw .missingField("object_id") }
    try await call.change { editor throws(LedgerError) in
      _ = try editor.forget(id, of: provider)
    }
    return .removed
  }

  private static func write(_ object: ProviderObject, to writer: inout JSONWriter) {
    writer.object { fields in
      fields.member("provider", object.provider)
      fields.member("object_id", object.objectID)
      fields.member("kind", object.kind.rawValue)
      fields.member("client_id", object.owner.text)
      fields.member("key_name", object.keyName)
      fields.member("created_at", object.createdAt.rfc3339)
      fields.member("deleted_at", object.deletedAt?.rfc3339)
    }
  }
}
