internal import Configuration
internal import Ledger
internal import Pricing
internal import Time

/// `/api/admin/clients/ID/keys`: virtual keys. A key's secret is shown once, when it is made.
enum KeyCalls {
  private static let path = "/api/admin/clients/{client}/keys"

  static var routes: [APIRoute] {
    [
      APIRoute(
        .get, path, .viewer, "Lists a client's keys",
        query: [
          QueryParameter("status", "only keys with this status", .choice(of: StoredKey.Status.self))
        ] + QueryParameter.page, answers: .ok(.page(of: KeyJSON.fields.schema)),
        handler: list),
      APIRoute(
        .post, path, .admin, "Creates a key; its secret is shown only once",
        body: Fields(required: [name]) + rules(in: .utc).schemas,
        answers: .created(KeyJSON.fieldsWithSecret.schema),
        showsSecret: true, handler: create),
      APIRoute(
        .get, path + "/{key}", .viewer, "Shows a key",
        answers: .ok(KeyJSON.fields.schema), handler: show),
      APIRoute(
        .patch, path + "/{key}", .admin, "Changes what a key may do",
        body: rules(in: .utc).schemas, answers: .ok(KeyJSON.fields.schema), handler: update),
      APIRoute(
        .delete, path + "/{key}", .admin, "Revokes a key at once", answers: .removed,
        handler: revoke),
      APIRoute(
        .post, path + "/{key}/rotate", .admin,
        "Gives a key a new secret; the old one stays valid for a while",
        body: Fields(optional: [overlap]),
        answers: .ok(KeyJSON.fieldsWithSecret.schema), showsSecret: true, handler: rotate),
    ]
  }

  // MARK: Reading

  private static func list(_ call: Call) throws(APIError) -> Answer {
    let client = try call.client(call.parameter("client"))
    let status: StoredKey.Status? = try call.query.choice("status")
    let after = try call.query.text("after") ?? ""
    let limit = try call.query.limit()
    let forms = try forms(of: client, call).filter { form in
      form.cursor > after && (status ?? form.status) == form.status
    }
    let page = Page(forms.sorted { $0.cursor < $1.cursor }, limit: limit, cursor: \.cursor)
    return page.answer(KeyJSON.fields)
  }

  private static func show(_ call: Call) throws(APIError) -> Answer {
    try answer(call.parameter("key"), of: try call.client(call.parameter("client")), call)
  }

  private static func answer(
    _ name: String, of client: Client, _ call: Call, status: Int = 200, secret: String? = nil
  ) throws(APIError) -> Answer {
    let named = try forms(of: client, call).filter { $0.name == name }
    // A newer key may have the name of a revoked one.
    guard var form = named.first(where: { $0.status != .revoked }) ?? named.last else {
      throw .notFound("key \(name) of client \(client.id)")
    }
    form.secret = secret
    let fields = secret == nil ? KeyJSON.fields : KeyJSON.fieldsWithSecret
    return Answer(status: status, fields, form)
  }

  static func forms(of client: Client, _ call: Call) throws(APIError) -> [KeyJSON] {
    let now = call.now
    return try call.read { reader throws(LedgerError) in
      var forms: [KeyJSON] = []
      for key in client.keys where key.line != nil {
        let used = try reader.latestUse(
          ofKey: key.name, ofClient: client.id, since: Timestamp(milliseconds: 0))
        forms.append(KeyJSON(key, of: client.id, lastUsed: used, at: now))
      }
      for key in try reader.storedKeys(ofClient: client.id) {
        let used = try reader.latestUse(
          ofKey: key.name, ofClient: client.id, since: key.createdAt)
        forms.append(KeyJSON(key, lastUsed: used, at: now))
      }
      return forms
    }
  }

  // MARK: Changing

  private static let name = BodyField("name", .name)

  /// - Parameter zone: The client's; a date in it is the start of that day.
  static func rules(in zone: TimeZoneRules) -> RecordFields<StoredKey> {
    [
      .optional("models", .modelPatterns, \.models),
      .optional("operations", .choices(), \.operations),
      .optional("expires_at", .moment(in: zone), \.expiresAt),
      .optional("requests_per_minute", .integer(ClientKey.rates), \.requestsPerMinute),
      .optional("tokens_per_minute", .integer(ClientKey.rates), \.tokensPerMinute),
    ]
  }

  private static func create(_ call: Call) async throws(APIError) -> Answer {
    let client = try call.client(call.parameter("client"))
    let body = try call.body()
    let name = try body.require(name)
    if client.keys.contains(where: { $0.name == name && $0.line != nil }) {
      throw .alreadyExists("a key \(name) of client \(client.id)")
    }
    let secret = KeySecret()
    let made = try rules(in: client.timeZone).change(
      by: body,
      defaults: StoredKey(
        clientID: client.id, name: name, sha256: secret.sha256, createdAt: call.now)
    ).values
    try await call.change { editor throws(LedgerError) in try editor.create(made) }
    return try answer(name, of: client, call, status: 201, secret: secret.text)
  }

  private static func update(_ call: Call) async throws(APIError) -> Answer {
    let (client, name) = try changeable(call)
    let body = try call.body()
    let change = try rules(in: client.timeZone).change(
      by: body,
      defaults: StoredKey(clientID: client.id, name: name, sha256: "", createdAt: call.now))
    try await call.change { editor throws(LedgerError) in
      _ = try editor.updateKey(name, ofClient: client.id) { change.apply(to: &$0) }
    }
    return try answer(name, of: client, call)
  }

  private static func revoke(_ call: Call) async throws(APIError) -> Answer {
    let (client, name) = try changeable(call)
    try await call.change { editor throws(LedgerError) in
      try editor.revokeKey(name, ofClient: client.id)
    }
    return .removed
  }

  private static let overlap = BodyField("overlap_seconds", .integer(KeySecret.overlaps))

  private static func rotate(_ call: Call) async throws(APIError) -> Answer {
    let (client, name) = try changeable(call)
    let body = try call.body()
    let overlap = try body.read(overlap) ?? KeySecret.usualOverlapSeconds
    let secret = KeySecret()
    try await call.change { editor throws(LedgerError) in
      _ = try editor.rotateKey(
        name, ofClient: client.id, to: secret.sha256, overlap: .seconds(overlap))
    }
    return try answer(name, of: client, call, secret: secret.text)
  }

  /// The key that the path names. Throws if `clients.yaml` declares it.
  private static func changeable(_ call: Call) throws(APIError) -> (client: Client, name: String) {
    let client = try call.client(call.parameter("client"))
    let name = call.parameter("key")
    if let line = client.keys.first(where: { $0.name == name })?.line {
      throw .declaredInFile("Key \(name) of client \(client.id)", line: line)
    }
    return (client, name)
  }
}
