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
        query: filters + QueryParameter.page, answers: .ok(.page(of: shown.schema)), handler: list),
      APIRoute(
        .post, path, .admin, "Assigns an object to a client, or shares it with all clients",
        body: fields, answers: .createdOrReplaced(shown.schema), handler: assign),
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

  private static let provider = BodyField("provider", .name)
  private static let objectID = BodyField("object_id", .objectID)
  private static let kind = BodyField<ObjectKind>("kind", .choice)
  private static let owner = BodyField("client_id", .owner)
  private static let fields = Fields(required: [provider, objectID, kind, owner])

  private static let shown =
    ([
      .field("provider", \.provider), .field("object_id", \.objectID), .choice("kind", \.kind),
      .field("client_id", \.owner.text), .field("key_name", \.keyName),
      .field("created_at", \.createdAt), .field("deleted_at", \.deletedAt),
    ] as AnswerFields<ProviderObject>).named("Object")

  private static func list(_ call: Call) throws(APIError) -> Answer {
    try page(call, limit: try call.query.limit()).answer(shown)
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
    let provider = try body.require(provider)
    let id = try body.require(objectID)
    let kind = try body.require(kind)
    let owner = try body.require(owner)
    if let form = ObjectKind(ofAnyID: id), form != kind {
      throw .invalidValue("kind", allowed: "\(form.rawValue), by the form of \(id)")
    }
    if case .client(let id) = owner { _ = try call.client(id) }
    let providers = call.settings.providers.map(\.name)
    guard providers.contains(provider) else {
      throw .invalidValue("provider", allowed: providers.joined(separator: ", "))
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
    return Answer(status: hadAnotherOwner ? 200 : 201, shown, assigned ?? object)
  }

  private static func forget(_ call: Call) async throws(APIError) -> Answer {
    guard let provider = try call.query.text("provider") else { throw .missingField("provider") }
    guard let id = try call.query.text("object_id") else { throw .missingField("object_id") }
    try await call.change { editor throws(LedgerError) in
      _ = try editor.forget(id, of: provider)
    }
    return .removed
  }
}

extension BodyFormat<String> {
  /// A provider's ID of an object.
  fileprivate static let objectID = BodyFormat(
    .text(pattern: #"^[!-.0-~]+$"#, longest: MadeObject.longestID), allowed: MadeObject.idRule
  ) { $0.string.flatMap { ProviderObject.isID($0) ? $0 : nil } }
}

extension BodyFormat<ProviderObject.Owner> {
  /// A client's ID, or `*` for all clients.
  fileprivate static let owner = BodyFormat(
    .text(pattern: #"^(\*|[A-Za-z0-9][A-Za-z0-9._-]{0,62})$"#), allowed: EntityName.rule
  ) { value in
    value.string.flatMap { text in
      let owner = ProviderObject.Owner(text: text)
      return owner == .everybody || EntityName.isValid(text) ? owner : nil
    }
  }
}
