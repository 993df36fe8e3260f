internal import Configuration
internal import JSON
internal import Time

/// `POST /api/widget-tokens`: makes a token for a widget. The client's own server asks for it
/// before it shows the widget.
enum WidgetCalls {
  static var routes: [APIRoute] {
    [
      APIRoute(
        .post, "/api/widget-tokens", .adminOrKey,
        "Creates a token that shows the figures of a client, or of one user, for a short time",
        body: ([
          "client_id": .name, "user": .plainText,
          "expires_in": .integer(WidgetTokens.lifetimes),
        ] as Fields).clearable,
        answers: .created(schema), showsSecret: true, handler: create)
    ]
  }

  private static let schema = JSONSchema.named(
    "WidgetToken",
    .object([
      "token": .anyText, "path": .anyText, "client_id": .anyText, "user": .anyText.orNull,
      "expires_at": .instant,
    ]))

  private static func create(_ call: Call) throws(APIError) -> Answer {
    let body = try call.body()
    let client = try client(body, call)
    let seconds =
      try body.integer("expires_in", in: WidgetTokens.lifetimes)
      ?? WidgetTokens.usualLifetimeSeconds
    let grant = WidgetGrant(
      client: client.id, user: try body.text("user"),
      expiresAt: call.now.advanced(by: .seconds(seconds)))
    let maker = try WidgetMakers(call: call).digest()
    try call.claimKeyBeforeActing()
    let token = call.server.widgetTokens.token(for: grant, by: maker)
    return Answer(status: 201) { answer in
      answer.object { answer in
        answer.member("token", token)
        answer.member("path", "/widget?token=\(token)")
        answer.member("client_id", grant.client)
        answer.member("user", grant.user)
        answer.member("expires_at", grant.expiresAt.rfc3339)
      }
    }
  }

  /// The client that the body names; for a key, its own client.
  private static func client(_ body: Body, _ call: Call) throws(APIError) -> Client {
    let named = try body.name("client_id")
    if case .key(let owner) = call.credential {
      try call.permit(named ?? owner.client.id)
      return owner.client
    }
    return try call.client(try body.require("client_id", named))
  }
}
